import { checkArray, checkName, checkOptions, type OptionTable } from '../base/options/index.js'
import { readable } from '../base/text/index.js'
import { escapeHtml } from './escapeHtml.js'
import { seriesPaint } from './palette.js'

/** One cell of a heat map. */
export interface HeatCell {
  /** The column. */
  readonly x: string
  /** The row. */
  readonly y: string
  /** null: nothing to be hot about, an open frame. */
  readonly value: number | null
  /** What stands in the cell. Default: the value, in four digits. */
  readonly text?: string
}

/** The options of a heat map. */
export interface HeatMapOptions {
  /** Read out by screen readers. */
  readonly title: string
  readonly x: { readonly label: string }
  readonly y: { readonly label: string }
  /** Which end of the values is drawn strongest. Default: 'high'. */
  readonly hot?: 'high' | 'low'
}

const names: OptionTable<HeatMapOptions> = {
  title: 'required',
  x: 'required',
  y: 'required',
  hot: 'optional',
}

const [high, top, least] = [28, 62, 64]
const letter = 6.6

/**
 * A table of cells coloured by their value, as a self-contained SVG text; the colours run over the ranks of the values, so
 * that one far away does not wash out the rest. Columns and rows stand in the order in which they come first; a later cell
 * at the same place replaces an earlier one. Equal inputs give equal bytes.
 *
 * @example heatMap([{ x: 'a', y: 'b', value: 1 }], { title: 't', x: { label: 'x' }, y: { label: 'y' } }).slice(0, 4) // '<svg'
 */
export function heatMap(cells: readonly HeatCell[], options: HeatMapOptions): string {
  checkArray('heatMap', 'cells', cells)
  checkOptions('heatMap', options, names)
  const { title, x, y, hot = 'high' } = options
  checkName('heatMap', 'hot', hot, ['high', 'low'])
  checkOptions('heatMap: x', x, { label: 'required' })
  checkOptions('heatMap: y', y, { label: 'required' })
  const columns = [...new Set(cells.map((cell) => cell.x))]
  const rows = [...new Set(cells.map((cell) => cell.y))]
  const texts = cells.map((cell) => cell.text ?? (cell.value === null ? '' : readable(cell.value, 4)))
  const longest = (names: readonly string[]): number => names.reduce((n, name) => Math.max(n, name.length), 0)
  const left = letter * longest([...rows, y.label]) + 16
  const wide = Math.max(least, letter * longest([...columns, ...texts]) + 14)
  const values = [...new Set(cells.flatMap(({ value }) => (value === null ? [] : [value])))].sort(
    (a, b) => a - b,
  )
  const strength = (value: number): number => {
    const rank = values.length === 1 ? 1 : values.indexOf(value) / (values.length - 1)
    return 0.12 + 0.48 * (hot === 'high' ? rank : 1 - rank)
  }
  const text = (at: number, down: number, anchor: string, words: string, weight = 400): string =>
    `<text x="${fixed(at)}" y="${fixed(down)}" text-anchor="${anchor}" font-weight="${weight}" fill="currentColor">${escapeHtml(words)}</text>`
  const middle = (i: number): number => left + (i + 0.5) * wide
  const heads = [
    text(left - 8, top - 8, 'end', y.label, 600),
    text(left, top - 34, 'start', x.label, 600),
    ...columns.map((name, i) => text(middle(i), top - 8, 'middle', name)),
    ...rows.map((name, i) => text(left - 8, top + i * high + 18, 'end', name)),
  ]
  const drawn = new Map(
    cells.map((cell, i) => {
      const [column, row] = [columns.indexOf(cell.x), rows.indexOf(cell.y)]
      const fill =
        cell.value === null
          ? 'fill="none" stroke="currentColor" stroke-opacity="0.2"'
          : `fill="${seriesPaint('red')}" fill-opacity="${fixed(strength(cell.value))}"`
      const box = `<rect x="${fixed(left + column * wide + 1)}" y="${top + row * high + 1}" width="${fixed(wide - 2)}" height="${high - 2}" rx="3" ${fill}></rect>`
      return [
        `${column} ${row}`,
        `<g>${box}${text(middle(column), top + row * high + 18, 'middle', texts[i]!)}</g>`,
      ]
    }),
  )
  const [width, height] = [fixed(left + columns.length * wide + 8), top + rows.length * high + 8]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}" font-family="system-ui, sans-serif" font-size="12">${[...heads, ...drawn.values()].join('')}</svg>`
}

const fixed = (pixels: number): string => String(Number(pixels.toFixed(2)))
