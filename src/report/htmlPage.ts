import { escapeHtml } from './escapeHtml.js'
import { pageStyle } from './pageStyle.js'

/** A plot with the sentence under it. */
export interface Figure {
  /** SVG text, as `linePlot` gives it. */
  readonly svg: string
  readonly caption: string
}

/** One part of a page. All texts are plain, but `html`. */
export interface Section {
  /** The anchor: letters, digits and dashes. */
  readonly id: string
  readonly title: string
  /** The one sentence to take away. */
  readonly finding?: string
  readonly paragraphs?: readonly string[]
  readonly figures?: readonly Figure[]
  /** Ready HTML, from `htmlTable`. */
  readonly html?: string
  /** Long matter behind a line that opens it: ready HTML. */
  readonly details?: readonly { readonly summary: string; readonly html: string }[]
}

/** A page: a heading, facts in a line, sections. */
export interface Page {
  readonly title: string
  readonly lead: string
  readonly facts?: Readonly<Record<string, string>>
  readonly sections: readonly Section[]
  readonly foot?: string
}

/**
 * A self-contained page: one file, no script, no network, readable in light and dark, printable.
 *
 * @example htmlPage({ title: 'A & B', lead: '', sections: [] }).includes('<title>A &amp; B</title>') // true
 */
export function htmlPage(page: Page): string {
  const facts = Object.entries(page.facts ?? {}).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  const links = page.sections.map((s) => `<a href="#${escapeHtml(s.id)}">${escapeHtml(s.title)}</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}</title>
<style>
${pageStyle()}
</style>
</head>
<body>
<header>
<h1>${escapeHtml(page.title)}</h1>
<p class="lead">${escapeHtml(page.lead)}</p>
${facts.length > 0 ? `<dl>${facts.join('')}</dl>` : ''}
${links.length > 1 ? `<nav>${links.join('')}</nav>` : ''}
</header>
<main>
${page.sections.map(sectionHtml).join('\n')}
</main>
<footer>${escapeHtml(page.foot ?? '')}</footer>
</body>
</html>
`
}

function sectionHtml(section: Section): string {
  const figures = (section.figures ?? []).map(
    (figure) => `<figure>${figure.svg}<figcaption>${escapeHtml(figure.caption)}</figcaption></figure>`,
  )
  const parts = [
    `<h2>${escapeHtml(section.title)}</h2>`,
    section.finding === undefined ? '' : `<p class="finding">${escapeHtml(section.finding)}</p>`,
    ...(section.paragraphs ?? []).map((text) => `<p>${escapeHtml(text)}</p>`),
    figures.length > 0 ? `<div class="figures">${figures.join('\n')}</div>` : '',
    section.html === undefined ? '' : `<div class="wide">${section.html}</div>`,
    ...(section.details ?? []).map(
      ({ summary, html }) =>
        `<details><summary>${escapeHtml(summary)}</summary><div class="wide">${html}</div></details>`,
    ),
  ]
  return `<section id="${escapeHtml(section.id)}">\n${parts.filter((part) => part !== '').join('\n')}\n</section>`
}
