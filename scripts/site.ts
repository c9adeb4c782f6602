import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { close, createIndex } from 'pagefind'
import { buildLab } from './buildLab.js'
import { labExamples } from './labExamples.js'
import { withLabLinks } from './labLinks.js'

// The whole site in build/site, one folder for any static host: the lab at its root, the guides and the pages of all names
// in docs, an index of every word in docs/pagefind. Run by `npm run site`.

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'build/site')
const docs = join(folder, 'docs')

rmSync(folder, { recursive: true, force: true })
await buildLab(root, folder, { guides: false })
const lab = join(folder, 'index.html')
writeFileSync(lab, readFileSync(lab, 'utf8').replace('href="guides/index.html"', 'href="docs/index.html"'))
const typedoc = spawnSync(process.execPath, ['node_modules/typedoc/bin/typedoc', '--out', docs], {
  cwd: root,
  stdio: 'inherit',
})
if (typedoc.status !== 0) throw new Error(`site: typedoc failed [${typedoc.status}]`)

/** What search shows beside a page's title, by the folder it is in. */
const kinds: Readonly<Record<string, string>> = {
  documents: 'guide',
  modules: 'door',
  functions: 'function',
  classes: 'class',
  interfaces: 'interface',
  types: 'type',
  variables: 'value',
}

const { index } = await createIndex({
  excludeSelectors: ['.open-in-lab', '.tsd-breadcrumb', '.tsd-anchor-icon', 'svg', '.tsd-index-panel'],
})
if (!index) throw new Error('site: pagefind did not start')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.html'),
)
const examples = labExamples(root)
const unlinked = new Set(examples.map(({ code }) => code))
for (const page of pages) {
  const path = join(docs, page)
  const base = relative(join(page, '..'), '.') || '.'
  const { html: text, linked } = withLabLinks(
    readFileSync(path, 'utf8').replace(
      '<div id="tsd-toolbar-links"></div>',
      `<div id="tsd-toolbar-links"><a href="${base}/../index.html">The lab</a></div>`,
    ),
    `${base}/../index.html`,
    examples,
  )
  for (const { code } of linked) unlinked.delete(code)
  writeFileSync(path, text)
  // A guide before a page of a name that has the same words.
  const kind = kinds[page.split(sep)[0] ?? ''] ?? 'guide'
  const weight = kind === 'guide' ? 10 : 1
  const content = text.replace(
    '<div class="col-content">',
    `<div class="col-content" data-pagefind-body data-pagefind-weight="${weight}"><span data-pagefind-filter="kind" data-pagefind-ignore>${kind}</span>`,
  )
  const { errors } = await index.addHTMLFile({ url: page, content })
  if (errors.length > 0) throw new Error(`site: ${page}: ${errors.join(', ')}`)
}
const lost = examples.filter(({ code }) => unlinked.has(code)).map(({ name }) => name)
if (lost.length > 0) throw new Error(`site: programs without a link to the lab [${lost.join(', ')}]`)
await index.writeFiles({ outputPath: join(docs, 'pagefind') })
await close()
console.log(
  `site: the lab, ${pages.length} pages with ${examples.length} programs that open in it, and their index in ${relative(root, folder)}`,
)
