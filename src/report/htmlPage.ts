import { checkArray, checkOptions, type OptionTable } from '../base/options/index.js'
import { escapeHtml } from './escapeHtml.js'
import { pageStyle } from './pageStyle.js'
import { tableSorting } from './tableSorting.js'

/** A plot with the sentence under it. */
export interface Figure {
  /** SVG text, as `linePlot` gives it. */
  readonly svg: string
  /** The same drawn for a screen of at most 600 pixels, some 380 wide. Default: the plot itself, scrolled where it does not fit. */
  readonly narrow?: string
  readonly caption: string
  /** As wide as the page, however many figures there are. Default: only where it stands alone. */
  readonly wide?: boolean
  /** Drawn in its own size, and scrolled where a screen is smaller. Default: as wide as its place. */
  readonly natural?: boolean
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
  /** Long content in a collapsible section, as HTML. */
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

const pageNames: OptionTable<Page> = {
  ...{ title: 'required', lead: 'required', facts: 'optional', sections: 'required', foot: 'optional' },
}

/**
 * A self-contained page: one file, no network, readable in light and dark, printable. Where a table is long a script sorts
 * it by the column whose heading is pressed; without scripts the page is whole.
 *
 * @example htmlPage({ title: 'A & B', lead: '', sections: [] }).includes('<title>A &amp; B</title>') // true
 */
export function htmlPage(page: Page): string {
  checkOptions('htmlPage', page, pageNames)
  checkArray('htmlPage', 'sections', page.sections)
  const facts = Object.entries(page.facts ?? {}).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  const sections = page.sections.map(sectionHtml).join('\n')
  const sorting = sections.includes('<table class="sortable">')
    ? `<script>\n${tableSorting}\n</script>\n`
    : ''
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
</header>
${contents(links)}
<main>
${sections}
</main>
<footer>${escapeHtml(page.foot ?? '')}</footer>
${sorting}</body>
</html>
`
}

/** More sections than this are a list that opens, not a line. */
const inALine = 16

function contents(links: readonly string[]): string {
  if (links.length <= 1) return ''
  if (links.length <= inALine) return `<nav aria-label="Contents"><div>${links.join('')}</div></nav>`
  const items = links.map((link) => `<li>${link}</li>`).join('')
  return `<nav class="list" aria-label="Contents"><details><summary>Contents: ${links.length} sections</summary><ul>${items}</ul></details></nav>`
}

function sectionHtml(section: Section): string {
  const figures = (section.figures ?? []).map(
    ({ svg, narrow, caption, wide, natural }) =>
      `<figure${wide ? ' class="whole"' : ''}>${titled(svg, section.title)}<div class="plot${natural ? ' natural' : ''}">${natural ? svg : scaled(svg)}</div>${narrow === undefined ? '' : `<div class="plot narrow">${scaled(narrow)}</div>`}<figcaption>${escapeHtml(caption)}</figcaption></figure>`,
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

/** The text for screen readers also stands above the plot, unless it is the section's title. */
function titled(svg: string, above: string): string {
  const title = / aria-label="([^"]*)"/.exec(startTag(svg))?.[1]
  return title === undefined || title === escapeHtml(above) ? '' : `<h3>${title}</h3>`
}

/** The tag that a plot begins with; its texts may have a > in them. */
function startTag(svg: string): string {
  return /^<svg(?:[^>"]|"[^"]*")*>/.exec(svg)?.[0] ?? ''
}

/**
 * A plot may shrink to seventeen twentieths of its size, so that its letters stay above 10 pixels, and is scrolled where a
 * screen has less room than that; and it may grow to half as much again.
 */
function scaled(svg: string): string {
  const tag = startTag(svg)
  const width = / width="([\d.]+)"/.exec(tag)?.[1]
  if (width === undefined) return svg
  const [least, most] = [0.85, 1.5].map((factor) => Math.round(factor * Number(width)))
  const limits = `min-width:${least}px;max-width:${most}px`
  // Of two attributes of one name the second says nothing.
  const styled = tag.includes(' style="')
    ? tag.replace(' style="', ` style="${limits};`)
    : tag.replace('<svg', `<svg style="${limits}"`)
  return styled + svg.slice(tag.length)
}
