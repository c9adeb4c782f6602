import { checkNumber, checkRecord, shown } from '../../base/options/index.js'
import { type ChipLike, chipOf, type PeakDType, peakOpsPerSecond } from '../hardware/index.js'

/** A point of the plot: FLOPs per byte, and where it is known the rate reached; else it stands on the roof. */
export interface RooflinePoint {
  readonly name: string
  readonly intensity: number
  readonly flopsPerSecond?: number
}

/** Names of points that stand below each other at most. */
const lines = 8
const [width, height] = [720, 440]
const frame = { left: 80, right: 20, top: 40, bottom: 60 }

/**
 * The roofline of a chip as an SVG drawing: intensity against rate, both logarithmic, HBM's slope and the peak's flat, with
 * operations as points. Without a background, in the colour of the text around it, so that it is legible on dark pages.
 *
 * Shape     none. Dtype of the peak, default bfloat16. Rounding to a tenth of a pixel.
 * Throws    TypeError for points that are not a list; RangeError for an unknown chip and intensities below 0.
 *
 * @example rooflineSvg([{ name: 'q', intensity: 100 }], 'v5e').startsWith('<svg') // true
 */
export function rooflineSvg(
  points: readonly RooflinePoint[],
  chip: ChipLike,
  dtype: PeakDType = 'bfloat16',
): string {
  if (!Array.isArray(points)) throw new TypeError(`rooflineSvg: points are no list [${shown(points)}]`)
  const made = chipOf('rooflineSvg', chip)
  const peak = peakOpsPerSecond(made, dtype)
  const roof = (intensity: number): number => Math.min(peak, intensity * made.hbmBytesPerSecond)
  for (const point of points) checkRecord('rooflineSvg', 'a point', point, ['intensity'])
  for (const { intensity } of points) checkNumber('rooflineSvg', 'intensity', intensity, 0)
  const critical = peak / made.hbmBytesPerSecond
  const drawn = points.filter(({ intensity }) => intensity > 0)
  const all = [critical / 100, critical * 10, ...drawn.map(({ intensity }) => intensity)]
  const rates = [
    roof(Math.min(...all)),
    2 * peak,
    ...drawn.flatMap(({ flopsPerSecond }) => flopsPerSecond ?? []),
  ]
  const x = scale(Math.min(...all), Math.max(...all), frame.left, width - frame.right)
  const y = scale(Math.min(...rates), Math.max(...rates), height - frame.bottom, frame.top)
  const line = [Math.min(...all), critical, Math.max(...all)].map((at) => `${x(at)},${y(roof(at))}`).join(' ')
  // A name stands below its point, each a line lower than the one before that it would touch; of equal points it stands once.
  const written: { readonly left: number; readonly line: number; readonly name: string }[] = []
  const nameOf = (name: string, left: number, top: number): string => {
    if (written.some((other) => other.name === name)) return ''
    const near = written.filter((other) => Math.abs(other.left - left) < 130).map(({ line }) => line)
    const line = near.length === 0 ? 0 : Math.max(...near) + 1
    if (line >= lines) return ''
    written.push({ left, line, name })
    const leader = `<line x1="${left}" x2="${left}" y1="${top + 4}" y2="${Number((top + 8 + 14 * line).toFixed(1))}" stroke="currentColor" stroke-opacity="0.4"/>`
    return `${leader}<text x="${Math.min(left, width - frame.right - 60)}" y="${Number((top + 18 + 14 * line).toFixed(1))}" text-anchor="middle" font-size="11">${escaped(name)}</text>`
  }
  const marks = drawn.map((point) => {
    const [left, top] = [x(point.intensity), y(point.flopsPerSecond ?? roof(point.intensity))]
    const bound = point.intensity < critical ? orange : blue
    const title = `${point.name}: ${point.intensity.toPrecision(3)} FLOPs per byte`
    return `<circle cx="${left}" cy="${top}" r="4" fill="${bound}"><title>${escaped(title)}</title></circle>${nameOf(point.name, left, top)}`
  })
  const ticks = powers(Math.min(...all), Math.max(...all)).map(
    (power) =>
      `<line x1="${x(10 ** power)}" x2="${x(10 ** power)}" y1="${frame.top}" y2="${height - frame.bottom}" stroke="currentColor" stroke-opacity="0.14"/><text x="${x(10 ** power)}" y="${height - frame.bottom + 18}" text-anchor="middle">${10 ** power}</text>`,
  )
  const rateTicks = powers(Math.min(...rates), Math.max(...rates)).map(
    (power) =>
      `<line x1="${frame.left}" x2="${width - frame.right}" y1="${y(10 ** power)}" y2="${y(10 ** power)}" stroke="currentColor" stroke-opacity="0.14"/><text x="${frame.left - 8}" y="${y(10 ** power) + 4}" text-anchor="end">${10 ** (power - 12)}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor" role="img">`,
    `<title>${escaped(`Roofline of ${made.name} in ${dtype}`)}</title>`,
    `<text x="${frame.left}" y="22" font-size="13">${escaped(`${made.name}, ${dtype}: ${(peak / 1e12).toFixed(0)} TFLOP/s, ${(made.hbmBytesPerSecond / 1e9).toFixed(0)} GB/s, bound by compute from ${critical.toFixed(0)} FLOPs per byte on`)}</text>`,
    `<polyline points="${line}" fill="none" stroke="currentColor" stroke-width="2"/>`,
    `<line x1="${x(critical)}" x2="${x(critical)}" y1="${y(peak)}" y2="${height - frame.bottom}" stroke="currentColor" stroke-opacity="0.4" stroke-dasharray="4 4"/>`,
    ...ticks,
    ...rateTicks,
    `<text x="${(frame.left + width) / 2}" y="${height - 18}" text-anchor="middle">FLOPs per byte of HBM</text>`,
    `<text transform="translate(18 ${height / 2}) rotate(-90)" text-anchor="middle">TFLOP/s</text>`,
    ...marks,
    '</svg>',
  ].join('\n')
}

/** The colours of a report's page where the drawing stands on one; fallbacks for a file of its own. */
const [orange, blue] = ['var(--series-orange, #a8540a)', 'var(--series-blue, #1f5fbf)']

/** A logarithmic scale from values to pixels. */
function scale(least: number, most: number, from: number, to: number): (value: number) => number {
  const span = Math.log(most) - Math.log(least) || 1
  return (value) => Number((from + ((Math.log(value) - Math.log(least)) / span) * (to - from)).toFixed(1))
}

/** The powers of ten from one value to another. */
function powers(least: number, most: number): number[] {
  const first = Math.ceil(Math.log10(least))
  return Array.from({ length: Math.max(0, Math.floor(Math.log10(most)) - first + 1) }, (_, i) => first + i)
}

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
