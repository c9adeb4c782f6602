import { checkArray, checkOptions, type OptionTable } from '../base/options/index.js'
import { axisScale } from './axis.js'
import { escapeHtml } from './escapeHtml.js'
import { seriesPaint } from './palette.js'
import { labelMargin } from './textWidth.js'

/** A named stretch of the x axis, its first part fainter: a format's subnormal and normal numbers. */
export interface PlotRange {
  readonly name: string
  readonly from: number
  /** Where the fainter part ends; `from` where there is none. */
  readonly solidFrom: number
  readonly to: number
}

/** The options of a range plot. */
export interface RangePlotOptions {
  /** Read out by screen readers. */
  readonly title: string
  readonly x: { readonly label: string; readonly domain: readonly [number, number] }
  readonly y: { readonly label: string }
  /** Pixels. Default 460 x 150, the height without the ranges. */
  readonly width?: number
  readonly height?: number
}

const names: OptionTable<RangePlotOptions> = {
  ...{ title: 'required', x: 'required', y: 'required', width: 'optional', height: 'optional' },
}

const margin = { left: 132, right: 14, top: 26, axis: 36 }
const row = 16

/**
 * A histogram above named ranges of its x axis, as a self-contained SVG text: what there is, and what can be held. Bars
 * are one wide and stand on [x, x + 1]; what lies outside of the axis is cut off. Equal inputs give equal bytes.
 *
 * @example rangePlot([{ x: 0, y: 1 }], [], { title: 't', x: { label: 'x', domain: [-1, 2] }, y: { label: 'y' } }).slice(0, 4) // '<svg'
 */
export function rangePlot(
  bars: readonly { readonly x: number; readonly y: number }[],
  ranges: readonly PlotRange[],
  options: RangePlotOptions,
): string {
  checkArray('rangePlot', 'bars', bars)
  checkArray('rangePlot', 'ranges', ranges)
  checkOptions('rangePlot', options, names)
  checkOptions('rangePlot: x', options.x, { label: 'required', domain: 'required' })
  checkOptions('rangePlot: y', options.y, { label: 'required' })
  const { title, width = 460, height = 150 } = options
  const [low, high] = options.x.domain
  const start = labelMargin(
    ranges.map(({ name }) => name),
    8,
    margin.left,
  )
  const right = width - margin.right
  const place = (x: number): number =>
    start + ((Math.min(high, Math.max(low, x)) - low) / (high - low)) * (right - start)
  const most = bars.reduce((top, { y }) => Math.max(top, y), 0) || 1
  const foot = margin.top + height
  const level = (y: number): number => foot - (y / most) * height
  const end = foot + 8 + row * ranges.length
  const text = (x: number, y: number, anchor: string, words: string, weight = 400): string =>
    `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}" font-weight="${weight}" fill="currentColor">${escapeHtml(words)}</text>`
  const box = (from: number, to: number, y: number, tall: number, paint: string, opacity: number): string => {
    const left = place(from)
    const wide = place(to) - left
    if (!(wide > 0)) return ''
    return `<rect x="${fixed(left)}" y="${fixed(y)}" width="${fixed(wide)}" height="${fixed(tall)}" fill="${paint}" fill-opacity="${opacity}"></rect>`
  }

  const up = axisScale({ label: '', domain: [0, most] }, [], 4)
  const along = axisScale({ label: '', domain: [low, high] }, [], Math.floor((right - start) / 46))
  const grid = [
    ...up.ticks.map((tick) => [
      line(start, level(tick), right, level(tick)),
      text(start - 6, level(tick) + 4, 'end', up.tickText(tick)),
    ]),
    ...along.ticks.map((tick) => [
      line(place(tick), margin.top, place(tick), end),
      text(place(tick), end + 15, 'middle', along.tickText(tick)),
    ]),
  ].flat()
  const histogram = bars.map(({ x, y }) =>
    box(x, x + 1, level(y), foot - level(y), seriesPaint('blue'), 0.75),
  )
  const stretches = ranges.map(({ name, from, solidFrom, to }, i) => {
    const y = foot + 8 + row * i
    const faint = box(from, solidFrom, y + 4, row - 8, seriesPaint('orange'), 0.4)
    const solid = box(Math.max(from, solidFrom), to, y + 4, row - 8, seriesPaint('orange'), 0.9)
    return `<g>${text(start - 6, y + 12, 'end', name)}${faint}${solid}</g>`
  })
  const labels = [
    text(0, 14, 'start', options.y.label, 600),
    text(right, end + margin.axis - 4, 'end', options.x.label, 600),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${end + margin.axis}" viewBox="0 0 ${width} ${end + margin.axis}" role="img" aria-label="${escapeHtml(title)}" font-family="system-ui, sans-serif" font-size="12">${[...grid, ...histogram, ...stretches, ...labels].join('')}</svg>`
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${fixed(x1)}" y1="${fixed(y1)}" x2="${fixed(x2)}" y2="${fixed(y2)}" stroke="currentColor" stroke-opacity="0.14"></line>`
}

const fixed = (pixels: number): string => String(Number(pixels.toFixed(2)))
