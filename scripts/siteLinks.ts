import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseHTML } from 'linkedom'

// Checks that every link inside the site of `npm run docs` leads to a page of it, and to a place on that page.
// Links to other sites are not followed: what they say is not ours to promise, and a build must not need a network.

interface PageLinks {
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
}

function linksOf(page: string): PageLinks {
  const { document } = parseHTML(readFileSync(page, 'utf8'))
  const values = (selector: string, attribute: string): string[] =>
    [...document.querySelectorAll(selector)].map((element) => element.getAttribute(attribute) ?? '')
  return {
    ids: new Set([...values('[id]', 'id'), ...values('a[name]', 'name')]),
    links: [...values('a[href]', 'href'), ...values('img[src]', 'src')],
  }
}

/** The links of a site's pages that lead nowhere, each with its page, and how many were followed. */
export function brokenLinks(folder: string): { followed: number; broken: string[] } {
  const root = resolve(folder)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path))
  const known = new Set(files)
  const pages = new Map(files.filter((path) => path.endsWith('.html')).map((path) => [path, linksOf(path)]))
  const broken: string[] = []
  let followed = 0
  for (const [page, { links }] of pages) {
    for (const link of links) {
      const target = new URL(link, pathToFileURL(page))
      if (target.protocol !== 'file:') continue
      followed++
      const anchor = decodeURIComponent(target.hash.slice(1))
      target.hash = ''
      target.search = ''
      const file = fileURLToPath(target)
      // What stands behind a name and & is the state of the lab, no place.
      const place = !/^\w+&/.test(anchor)
      const found = known.has(file) && (anchor === '' || !place || (pages.get(file)?.ids.has(anchor) ?? true))
      if (!found) broken.push(`${page.slice(root.length + 1)}: ${link}`)
    }
  }
  return { followed, broken }
}
