import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { checkArray, checkOptions, checkRecord, type OptionTable } from '../base/options/index.js'
import { type Axis, axisScale, checkAxis, type Scale } from './axis.js'
import { escapeHtml } from './escapeHtml.js'
import { labelOffsets } from './labelOffsets.js'
import { type LegendEntry, legendHeight, legendMarkup } from './legend.js'
import { type SeriesColor, seriesColors, seriesPaint } from './palette.js'
import { labelMargin, textWidth, wrapped } from './textWidth.js'

/** A point of a series. */
export interface PlotPoint {
  readonly x: number
  readonly y: number
  /** Written beside the point. */
  readonly label?: string
  /** Shown by browsers that hover over the point. */
  readonly title?: string
}

/** A series: points in the order in which a line joins them. */
export interface PlotSeries {
  readonly name: string
  readonly points: readonly PlotPoint[]
  /** Default: the next of the palette. */
  readonly color?: SeriesColor
  /** A bound or another thing that was not measured: a line without points. Default false. */
  readonly dashed?: boolean
  /** A dot at every point of a line; without where the points lie close. Default: where it is not dashed. */
  readonly dots?: boolean
}

/** A vertical rule with a name: where something happens. */
export interface PlotMarker {
  readonly x: number
  readonly label: string
  readonly color?: SeriesColor
}

/** The options of a plot. */
export interface PlotOptions {
  /** Read out by screen readers. */
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  /** Pixels. Default 460 x 300. */
  readonly width?: number
  readonly height?: number
  readonly markers?: readonly PlotMarker[]
  /** A dashed line y = x. Default false. */
  readonly diagonal?: boolean
}

export const plotNames: OptionTable<PlotOptions> = {
  ...{ title: 'required', x: 'required', y: 'required', width: 'optional', height: 'optional' },
  ...{ markers: 'optional', diagonal: 'optional' },
}

/** The left one is the least: long numbers at the axis widen it. */
const margin = { left: 52, right: 26, bottom: 38 }
/** Bold letters are about so much wider. */
const bold = 1.1
const lineHeight = 12
const endLine = 14

/**
 * Lines through points, as a self-contained SVG text. Equal inputs give equal bytes.
 * On a logarithmic axis a zero is a hollow ring at the foot of the plot and what is not finite a cross at its top; the
 * line breaks there.
 *
 * @example linePlot([{ name: 'a', points: [{ x: 1, y: 2 }] }], { title: 't', x: { label: 'x' }, y: { label: 'y' } }).slice(0, 4) // '<svg'
 */
export function linePlot(series: readonly PlotSeries[], options: PlotOptions): string {
  checkPlot('linePlot', series, options)
  return draw(series, options, 'line')
}

/**
 * Points without lines, dashed series apart, as a self-contained SVG text; otherwise as `linePlot`.
 *
 * @example scatterPlot([], { title: 't', x: { label: 'x' }, y: { label: 'y' } }).includes('<circle') // false
 */
export function scatterPlot(series: readonly PlotSeries[], options: PlotOptions): string {
  checkPlot('scatterPlot', series, options)
  return draw(series, options, 'dots')
}

function checkPlot(op: string, series: readonly PlotSeries[], options: PlotOptions): void {
  checkArray(op, 'series', series)
  for (const one of series) checkRecord(op, 'a series', one, ['name', 'points'])
  checkOptions(op, options, plotNames)
  checkAxis(op, 'x', options.x)
  checkAxis(op, 'y', options.y)
}

function draw(series: readonly PlotSeries[], options: PlotOptions, kind: 'line' | 'dots'): string {
  const { width = 460, height = 300, markers = [], diagonal = false } = options
  const measured = axisScale(
    options.y,
    series.flatMap((s) => s.points.map((p) => p.y)),
    6,
  )
  const lost = series.flatMap((s) => s.points.filter((p) => !shows(measured, p.y)))
  const y = options.y.domain ? measured : padded(options.y, measured, lost.length > 0)
  const direct = kind === 'line' && labelsEnds(series)
  const right = direct
    ? Math.max(margin.right, 14 + Math.max(...series.map((s) => textWidth(s.name))))
    : margin.right
  const left = labelMargin(y.ticks.map(y.tickText), 9, margin.left)
  const x = axisScale(
    options.x,
    [...series.flatMap((s) => s.points.map((p) => p.x)), ...markers.map((m) => m.x)],
    Math.floor((width - left - right + margin.right) / 56),
  )
  const yLabel = wrapped(options.y.label, (width - 8) / bold)
  const above = lineHeight * (yLabel.length - 1)

  const entries: LegendEntry[] = series.map((s, i) => ({
    name: s.name,
    paint: seriesPaint(s.color ?? seriesColors[i % seriesColors.length]!),
    dashed: s.dashed ?? false,
    kind: s.dashed ? 'line' : kind,
  }))
  const named = direct ? [] : entries
  const top = legendHeight(named, width) + 36 + above
  const marks: unknown[] = [
    Plot.axisY({ ticks: [...y.ticks], tickFormat: y.tickText, label: null, tickSize: 0 }),
    Plot.gridY({ ticks: [...y.ticks], strokeOpacity: 0.14 }),
    Plot.axisX({ ticks: [...x.ticks], tickFormat: x.tickText, label: null, tickSize: 4 }),
    Plot.ruleX([x.domain[0]], { strokeOpacity: 0 }),
    Plot.text([yLabel.join('\n')], {
      ...{ frameAnchor: 'top-left', dx: -left + 4, dy: -26 - above, fontWeight: 600 },
    }),
    Plot.text([options.x.label], { frameAnchor: 'bottom-right', dy: 34, fontWeight: 600 }),
  ]
  if (diagonal) {
    const ends = [Math.max(x.domain[0], y.domain[0]), Math.min(x.domain[1], y.domain[1])]
    marks.push(
      Plot.line(
        ends.map((v) => ({ x: v, y: v })),
        { x: 'x', y: 'y', strokeDasharray: '4 3', strokeOpacity: 0.6 },
      ),
    )
  }
  markers.forEach((marker, i) => {
    const stroke = marker.color ? seriesPaint(marker.color) : 'currentColor'
    const before = toTheLeft(x, marker.x)
    marks.push(
      Plot.ruleX([marker.x], { stroke, strokeOpacity: 0.7, strokeDasharray: '1 3', strokeWidth: 1.5 }),
      Plot.text([marker], {
        x: 'x',
        text: 'label',
        frameAnchor: 'top',
        textAnchor: before ? 'end' : 'start',
        // Beside the rule, and beside the cross of a value that is not finite, which stands at its top.
        dx: before ? -7 : 7,
        dy: -7 + 14 * i,
        fill: stroke,
      }),
    )
  })
  const labelled = series.flatMap((s) => s.points.filter((p) => p.label !== undefined && shows(y, p.y)))
  const offsets = labelOffsets(
    labelled.map((p) => ({
      text: p.label ?? '',
      x: left + shareOf(x, p.x) * (width - left - right),
      y: top + (1 - shareOf(y, p.y)) * (height - margin.bottom),
      before: toTheLeft(x, p.x),
    })),
  )
  series.forEach((s, i) => {
    const { paint } = entries[i]!
    const inside = s.points.map((p): PlotPoint => ({ ...p, y: shows(y, p.y) ? p.y : Number.NaN }))
    const zeros = s.points
      .filter((p) => !shows(y, p.y) && Number.isFinite(p.y))
      .map((p) => ({ x: p.x, y: y.domain[0] }))
    const beyond = s.points.filter((p) => !Number.isFinite(p.y)).map((p) => ({ x: p.x, y: y.domain[1] }))
    const at = { x: 'x', y: 'y' }
    const hover = s.points.some((p) => p.title !== undefined) ? { title: 'title' } : {}
    if (kind === 'line' || s.dashed) {
      const strokeDasharray = s.dashed ? '5 3' : 'none'
      marks.push(
        Plot.line(inside, { ...at, stroke: paint, strokeWidth: s.dashed ? 1.25 : 1.75, strokeDasharray }),
      )
    }
    if (s.dots ?? !s.dashed) {
      marks.push(
        Plot.dot(inside, {
          ...at,
          ...hover,
          fill: paint,
          ...(kind === 'line' ? { r: 2.2 } : { r: 2.4, fillOpacity: 0.6 }),
        }),
      )
    }
    marks.push(Plot.dot(zeros, { ...at, stroke: paint, fill: 'none', r: 3.2 }))
    marks.push(Plot.dot(beyond, { ...at, stroke: paint, symbol: 'times', r: 4 }))
    for (const before of [false, true]) {
      for (const offset of new Set(offsets)) {
        const here = s.points.filter(
          (p) => offsets[labelled.indexOf(p)] === offset && toTheLeft(x, p.x) === before,
        )
        if (here.length > 0) marks.push(labels(here, before, offset, paint))
      }
    }
  })

  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const svg = Plot.plot({
    document,
    className: 'figure',
    width,
    height: height + top,
    marginTop: top,
    marginLeft: left,
    marginRight: right,
    marginBottom: margin.bottom,
    style: { fontSize: '12px', fontFamily: 'system-ui, sans-serif', background: 'none' },
    x: { type: x.log ? 'log' : 'linear', base: x.base, domain: [...x.domain] },
    y: { type: y.log ? 'log' : 'linear', base: y.base, domain: [...y.domain] },
    marks: marks as Plot.Markish[],
  } as Plot.PlotOptions) as unknown as SvgElement
  // A browser shows a file of its own only with it.
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', options.title)
  svg.insertAdjacentHTML('beforeend', legendMarkup(named, width))
  if (direct) {
    const frame = { top, bottom: height + top - margin.bottom, left, right: width - right }
    svg.insertAdjacentHTML('beforeend', endLabels(series, entries, { x, y }, frame))
  }
  return svg.outerHTML
}

/** Whether lines carry their names at their ends: few of them, with short names, each with an end to be seen. */
function labelsEnds(series: readonly PlotSeries[]): boolean {
  return (
    series.length > 0 &&
    series.length <= 6 &&
    series.every(({ name, points }) => name.length <= 18 && points.some((p) => Number.isFinite(p.y)))
  )
}

/** A line that ends in this share of the plot has its name at the edge; one that ends before, beside its end. */
const edge = 0.9

/** The names of lines beside their last points, in their colours, one below the other where they would touch at the edge. */
function endLabels(
  series: readonly PlotSeries[],
  entries: readonly LegendEntry[],
  { x, y }: { readonly x: Scale; readonly y: Scale },
  frame: { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number },
): string {
  const { top, bottom, left, right } = frame
  const ends = series.map(({ points }, i) => {
    const seen = points.filter((p) => shows(y, p.y))
    const last = seen.reduce((a, b) => (b.x >= a.x ? b : a), seen[0] ?? { x: x.domain[1], y: y.domain[0] })
    const across = shareOf(x, last.x)
    return {
      entry: entries[i]!,
      early: across < edge,
      across: left + across * (right - left),
      at: bottom - shareOf(y, last.y) * (bottom - top),
    }
  })
  const placed = ends.filter(({ early }) => !early).sort((a, b) => a.at - b.at)
  // From the top down, each at least a line below the one before; then from the bottom up, so that the last one stays inside.
  for (let i = 1; i < placed.length; i++) placed[i]!.at = Math.max(placed[i]!.at, placed[i - 1]!.at + endLine)
  const lowest = placed.at(-1)
  if (lowest) lowest.at = Math.min(lowest.at, bottom)
  for (let i = placed.length - 2; i >= 0; i--) {
    placed[i]!.at = Math.min(placed[i]!.at, placed[i + 1]!.at - endLine)
  }
  const texts = [...ends.filter(({ early }) => early), ...placed].map(
    ({ entry, early, across, at }) =>
      `<text x="${fixed(early ? across + 8 : right + 8)}" y="${fixed(at + 4)}" fill="${entry.paint}"${early ? halo : ''} font-weight="600" text-anchor="start">${escapeHtml(entry.name)}</text>`,
  )
  return `<g class="ends">${texts.join('')}</g>`
}

/** What lies under a text inside the plot is kept away from its letters. */
const halo = ' stroke="var(--plot-background, white)" stroke-width="3" paint-order="stroke"'

const fixed = (pixels: number): number => Number(pixels.toFixed(1))

/** How far up an axis a value lies, from 0 to 1. */
function shareOf({ log, domain: [low, high] }: Scale, value: number): number {
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)
  return Math.min(1, Math.max(0, share))
}

/** The little of an SVG element that is used here; the library's own types need a browser's declarations. */
interface SvgElement {
  setAttribute(name: string, value: string): void
  insertAdjacentHTML(position: 'beforeend', html: string): void
  readonly outerHTML: string
}

/** Whether a text at this place stands to the left of it: in the right half of the plot. */
function toTheLeft({ log, domain: [low, high] }: Scale, place: number): boolean {
  return place > (log ? Math.sqrt(low * high) : (low + high) / 2)
}

/** The labels of points, on one side of them. */
function labels(points: readonly PlotPoint[], left: boolean, dy: number, paint: string): unknown {
  const beside = { textAnchor: left ? 'end' : 'start', dx: left ? -6 : 6, dy } as const
  return Plot.text(points, { x: 'x', y: 'y', text: 'label', fill: paint, fontWeight: 600, ...beside })
}

function shows(scale: Scale, value: number): boolean {
  return Number.isFinite(value) && (!scale.log || value > 0)
}

/** Room around the data: on a logarithmic axis a third of a decade at the foot if something has to be marked there. */
function padded(axis: Axis, scale: Scale, marked: boolean): Scale {
  const [low, high] = scale.domain
  const domain: [number, number] = scale.log
    ? [low / (marked ? 3 : 1.3), high * (marked ? 2 : 1.3)]
    : [low - 0.04 * (high - low), high + 0.04 * (high - low)]
  return axisScale({ ...axis, domain }, [], 6)
}
