import { checkArray, checkOptions, checkRecord, checkText, type OptionTable } from '../base/options/index.js'
import { axisScale } from './axis.js'
import { escapeHtml } from './escapeHtml.js'
import { seriesColors, seriesPaint } from './palette.js'
import { labelMargin, textWidth } from './textWidth.js'

/** A named row of a dot plot. */
export interface PlotRow {
  readonly name: string
  /** One value for each series; what is not finite has no dot. */
  readonly values: readonly number[]
}

/** The options of a dot plot. */
export interface DotPlotOptions {
  /** Read out by screen readers. */
  readonly title: string
  readonly x: { readonly label: string }
  /** What the values of a row are, in the order of their colours. */
  readonly series: readonly string[]
  /** Pixels. Default 460. */
  readonly width?: number
}

const names: OptionTable<DotPlotOptions> = {
  ...{ title: 'required', x: 'required', series: 'required', width: 'optional' },
}

const row = 20
const foot = 40

/**
 * A row for each name with a dot for each of its values on a common axis, as a self-contained SVG text: every value has its
 * name beside it, however close values lie. Equal inputs give equal bytes.
 *
 * @example dotPlot([{ name: 'mxfp4', values: [18.6] }], { title: 't', x: { label: 'dB' }, series: ['all'] }).slice(0, 4) // '<svg'
 */
export function dotPlot(rows: readonly PlotRow[], options: DotPlotOptions): string {
  checkArray('dotPlot', 'rows', rows)
  checkOptions('dotPlot', options, names)
  checkOptions('dotPlot: x', options.x, { label: 'required' })
  checkArray('dotPlot', 'series', options.series)
  for (const one of rows) {
    checkRecord('dotPlot', 'a row', one, ['name', 'values'])
    checkText('dotPlot', 'the name of a row', one.name)
  }
  const { title, x, series, width = 460 } = options
  const longest = Math.floor((width * 0.66) / 7.7)
  const shown = rows.map(({ name }) => (name.length > longest ? `...${name.slice(3 - longest)}` : name))
  const left = labelMargin(shown, 10, 60)
  const right = width - 18
  const values = rows.flatMap((one) => one.values.filter(Number.isFinite))
  // Dots lie at distances from zero, as bars would.
  const { domain, ticks, tickText } = axisScale(
    { label: x.label },
    [0, ...values],
    Math.max(2, Math.floor((right - left) / 56)),
  )
  const [low, high] = domain
  const place = (value: number): string => fixed(left + ((value - low) / (high - low)) * (right - left))
  const top = series.length > 1 ? 28 : 8
  const bottom = top + row * rows.length
  const height = bottom + foot
  const text = (at: string | number, y: number, anchor: string, words: string, more = ''): string =>
    `<text x="${at}" y="${y}" text-anchor="${anchor}" fill="currentColor"${more}>${escapeHtml(words)}</text>`
  const paint = (i: number): string => seriesPaint(seriesColors[(i + 1) % seriesColors.length]!)

  // Rings around the first dot: equal values are all seen.
  const dot = (i: number): string =>
    i === 0
      ? `r="4" fill="${paint(i)}"`
      : `r="${4 + 2 * i}" fill="none" stroke="${paint(i)}" stroke-width="1.5"`

  let across =
    series.length > 1
      ? Math.min(left, width - series.reduce((sum, name) => sum + textWidth(name) + 30, 0))
      : left
  const legend = (series.length > 1 ? series : []).map((name, i) => {
    const entry = `<circle cx="${fixed(across + 4)}" cy="12" ${dot(i)}></circle>${text(fixed(across + 14), 16, 'start', name)}`
    across += textWidth(name) + 30
    return entry
  })
  const grid = ticks.map(
    (tick) =>
      `<line x1="${place(tick)}" y1="${top}" x2="${place(tick)}" y2="${bottom}" stroke="currentColor" stroke-opacity="0.14"></line>${text(place(tick), bottom + 15, 'middle', tickText(tick))}`,
  )
  const lines = rows.map((one, k) => {
    const y = top + row * k + row / 2
    const dots = one.values.map((value, i) =>
      Number.isFinite(value)
        ? `<circle cx="${place(value)}" cy="${y}" ${dot(i)}><title>${escapeHtml(`${one.name}${series[i] === undefined ? '' : `, ${series[i]}`}: ${Number(value.toPrecision(4))}`)}</title></circle>`
        : '',
    )
    const rule = `<line x1="${left}" y1="${y}" x2="${right}" y2="${y}" stroke="currentColor" stroke-opacity="0.14" stroke-dasharray="1 3"></line>`
    return rule + text(left - 8, y + 4, 'end', shown[k]!) + dots.join('')
  })
  const label = text(right, bottom + 34, 'end', x.label, ' font-weight="600"')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}" font-family="system-ui, sans-serif" font-size="12">${[...legend, ...grid, ...lines, label].join('')}</svg>`
}

const fixed = (pixels: number): string => String(Number(pixels.toFixed(2)))
