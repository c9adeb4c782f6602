// A guide as a page beside the lab: for a checkout and the package, where there is no site around the page.
import MarkdownIt from 'markdown-it'
import { withFormulas } from './docFormulas.mjs'

const markdown = new MarkdownIt({ html: true })

/** The HTML of a guide. Links to what is not in `files`, a table from guides to their pages, become plain words; `root` leads to the lab. */
export function guidePage(text, files, root = '../../') {
  const [, title = ''] = /^# (.+)$/m.exec(text) ?? []
  const linked = text.replace(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words, address) => {
    if (/^https?:/.test(address) || address.startsWith('#')) return whole
    const [path, place] = address.split('#')
    const file = files[path]
    return file === undefined ? words : `[${words}](${file}${place === undefined ? '' : `#${place}`})`
  })
  // What is code stays as it is.
  const body = linked
    .split(/(```[\s\S]*?\n```|`[^`\n]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : withFormulas(part)))
    .join('')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}: tpu-toolkit</title>
    <link rel="stylesheet" href="${root}lab.css" />
  </head>
  <body>
    <header class="top"><p><a class="brand" href="${root}index.html">tpu-toolkit lab</a></p></header>
    <main class="guide">${withScroll(withPlaces(markdown.render(body)))}</main>
  </body>
</html>
`
}

/** Headings with the places that links name. */
function withPlaces(html) {
  return html.replace(/<h([1-6])>(.*?)<\/h\1>/g, (_, level, words) => {
    const place = words
      .replace(/<[^>]+>/g, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    return `<h${level} id="${place}">${words}</h${level}>`
  })
}

/** Tables and programs that are wider than the page are scrolled by themselves, by the keyboard too. */
function withScroll(html) {
  return html
    .replaceAll('<table>', '<div class="scroll" tabindex="0" role="region" aria-label="A table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
}
