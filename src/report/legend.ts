import { escapeHtml } from './escapeHtml.js'

/** One entry of a legend: how the series is drawn, and its name. */
export interface LegendEntry {
  readonly name: string
  readonly paint: string
  readonly dashed: boolean
  readonly kind: 'line' | 'dots'
}

const row = 18
const swatch = 22

/** Where each entry stands. Text is not measured here: 7.2 px a character is above the mean of 12 px system fonts. */
function place(entries: readonly LegendEntry[], width: number): { x: number; y: number }[] {
  let x = 2
  let y = 0
  return entries.map((entry) => {
    const wide = swatch + 7.2 * entry.name.length + 14
    if (x > 2 && x + wide > width) {
      x = 2
      y += row
    }
    const spot = { x, y }
    x += wide
    return spot
  })
}

/** The height of the legend above a plot of this width. */
export function legendHeight(entries: readonly LegendEntry[], width: number): number {
  return entries.length === 0 ? 0 : place(entries, width).at(-1)!.y + row
}

/** The legend as SVG, for the top left corner of a plot of this width. */
export function legendMarkup(entries: readonly LegendEntry[], width: number): string {
  const spots = place(entries, width)
  const items = entries.map((entry, i) => {
    const { x, y } = spots[i]!
    const mark =
      entry.kind === 'dots'
        ? `<circle cx="${x + 9}" cy="${y + 9}" r="3.5" fill="${entry.paint}"></circle>`
        : `<line x1="${x}" x2="${x + 18}" y1="${y + 9}" y2="${y + 9}" stroke="${entry.paint}" stroke-width="2.25"${
            entry.dashed ? ' stroke-dasharray="5 3"' : ''
          }></line>`
    return `${mark}<text x="${x + swatch}" y="${y + 13}" fill="currentColor" text-anchor="start">${escapeHtml(entry.name)}</text>`
  })
  return `<g class="legend">${items.join('')}</g>`
}
