import { checkArray, checkOptions, type OptionTable, shown } from '../base/options/index.js'
import { axisScale } from './axis.js'
import { escapeHtml } from './escapeHtml.js'
import { seriesColors, seriesPaint } from './palette.js'
import { labelMargin } from './textWidth.js'

/** A stretch of a lane of a timeline. */
export interface PlotStretch {
  readonly lane: string
  readonly start: number
  readonly end: number
  /** Written into the stretch where it is wide enough, and shown by browsers that hover over it. */
  readonly label?: string
}

/** The options of a timeline. */
export interface TimelinePlotOptions {
  /** Read out by screen readers. */
  readonly title: string
  /** Under the axis: the unit of start and end. */
  readonly x: { readonly label: string }
  /** The lanes from the top down. Default: as they first appear. */
  readonly lanes?: readonly string[]
  /** Pixels. Default 640. */
  readonly width?: number
}

const names: OptionTable<TimelinePlotOptions> = {
  ...{ title: 'required', x: 'required', lanes: 'optional', width: 'optional' },
}

const margin = { left: 72, right: 14, top: 8, axis: 36 }
const row = 28

/**
 * What was busy when: a row for each lane, a box for each stretch, neighbours in two shades; as a self-contained SVG text.
 * Equal inputs give equal bytes.
 *
 * @example timelinePlot([{ lane: 'copy', start: 0, end: 2 }], { title: 't', x: { label: 'ms' } }).slice(0, 4) // '<svg'
 */
export function timelinePlot(stretches: readonly PlotStretch[], options: TimelinePlotOptions): string {
  checkArray('timelinePlot', 'stretches', stretches)
  checkOptions('timelinePlot', options, names)
  checkOptions('timelinePlot: x', options.x, { label: 'required' })
  const { title, width = 640 } = options
  const lanes = options.lanes ?? [...new Set(stretches.map(({ lane }) => lane))]
  const stranger = stretches.find(({ lane }) => !lanes.includes(lane))
  if (stranger) throw new RangeError(`timelinePlot: no such lane [${shown(stranger.lane)}]`)
  const beside = labelMargin(lanes, 10, margin.left)
  const right = width - margin.right
  const { domain, ticks, tickText } = axisScale(
    { label: '' },
    stretches.flatMap(({ start, end }) => [start, end]),
    Math.floor((right - beside) / 56),
  )
  const [low, high] = domain
  const place = (x: number): number => beside + ((x - low) / (high - low)) * (right - beside)
  const foot = margin.top + row * lanes.length
  const text = (x: number, y: number, anchor: string, words: string, weight = 400): string =>
    `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}" font-weight="${weight}" fill="currentColor">${escapeHtml(words)}</text>`

  const grid = ticks.map(
    (tick) =>
      `<line x1="${fixed(place(tick))}" y1="${margin.top}" x2="${fixed(place(tick))}" y2="${foot}" stroke="currentColor" stroke-opacity="0.14"></line>${text(place(tick), foot + 15, 'middle', tickText(tick))}`,
  )
  const rows = lanes.map((lane, i) => {
    const top = margin.top + row * i
    const paint = seriesPaint(seriesColors[i % seriesColors.length]!)
    const boxes = stretches
      .filter((stretch) => stretch.lane === lane)
      .map(({ start, end, label }, k) => {
        const [from, wide] = [place(start), place(end) - place(start)]
        const hover = label === undefined ? '' : `<title>${escapeHtml(label)}</title>`
        const box = `<rect x="${fixed(from)}" y="${top + 4}" width="${fixed(wide)}" height="${row - 8}" fill="${paint}" fill-opacity="${k % 2 === 0 ? 0.85 : 0.5}">${hover}</rect>`
        // About seven pixels a letter.
        const fits = label !== undefined && wide >= 7 * label.length + 4
        return box + (fits ? text(from + wide / 2, top + row / 2 + 4, 'middle', label) : '')
      })
    return `<g>${text(beside - 8, top + row / 2 + 4, 'end', lane)}${boxes.join('')}</g>`
  })
  const label = text(right, foot + margin.axis - 4, 'end', options.x.label, 600)
  const height = foot + margin.axis
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}" font-family="system-ui, sans-serif" font-size="12">${[...grid, ...rows, label].join('')}</svg>`
}

const fixed = (pixels: number): string => String(Number(pixels.toFixed(2)))
