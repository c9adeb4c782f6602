import { axisTicks, shortNumber } from './axisTicks.js'

/** Colours of series, as the reports of the commands have them: naive is red and stable blue everywhere. */
export type SeriesColor = 'red' | 'blue' | 'green' | 'orange' | 'purple' | 'teal' | 'pink' | 'grey'

/** One line. What is not finite is a gap. */
export interface ChartSeries {
  readonly name: string
  readonly color: SeriesColor
  readonly dashed?: boolean
  readonly x: ArrayLike<number>
  readonly y: ArrayLike<number>
}

/** A vertical or horizontal line with a word, or a point where both are given. */
export interface ChartMark {
  readonly x?: number
  readonly y?: number
  readonly word: string
}

/** What is drawn. */
export interface ChartOptions {
  readonly series: readonly ChartSeries[]
  readonly marks?: readonly ChartMark[]
  readonly xTitle: string
  readonly yTitle: string
  readonly logX?: boolean
  readonly logY?: boolean
  /** Ends of the axis; default: those of the data. */
  readonly xRange?: readonly [number, number]
  readonly yRange?: readonly [number, number]
  /** Where the axis has its words, where that are not round numbers. */
  readonly xTicks?: readonly number[]
  /** Pixels. Default: 240. */
  readonly height?: number
}

/** An axis: where a value lies in pixels, and back. */
export interface Scale {
  readonly at: (value: number) => number
  readonly valueAt: (pixel: number) => number
  readonly ticks: readonly number[]
}

/** Where a chart of a size has its axes. */
export interface ChartFrame {
  readonly box: {
    readonly left: number
    readonly right: number
    readonly top: number
    readonly bottom: number
  }
  readonly x: Scale
  readonly y: Scale
}

/** The frame of a chart: its box in pixels and its scales; of a chart that shows a part of x, y is that of the part. */
export function chartFrame(width: number, height: number, options: ChartOptions): ChartFrame {
  const box = { left: 62, right: width - 12, top: 22, bottom: height - 36 }
  const { series, marks = [], xRange, yRange, logX, logY } = options
  const x = scaleOf(
    series.map((one) => one.x),
    xRange,
    logX,
    box.left,
    box.right,
  )
  const seen = (one: ChartSeries): ArrayLike<number> =>
    xRange === undefined
      ? one.y
      : Array.from(one.y).filter((_, i) => one.x[i]! >= xRange[0] && one.x[i]! <= xRange[1])
  const y = scaleOf(
    [...series.map(seen), marks.flatMap((mark) => (mark.x === undefined ? (mark.y ?? []) : []))],
    yRange,
    logY,
    box.bottom,
    box.top,
  )
  return { box, x, y }
}

/** Draws a chart on a canvas at the size that it has on the page. */
export function drawChart(canvas: HTMLCanvasElement, options: ChartOptions): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const context = canvas.getContext('2d')
  if (!context || width === 0) return
  const ratio = devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const paint = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  context.font = `12px ${style.fontFamily}`
  const marks = options.marks ?? []
  const { box, x, y } = chartFrame(width, height, options)

  context.lineWidth = 1
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  for (const tick of y.ticks) {
    const at = Math.round(y.at(tick)) + 0.5
    context.strokeStyle = paint('rule')
    line(context, box.left, at, box.right, at)
    context.fillStyle = paint('soft')
    context.fillText(shortNumber(tick), box.left - 6, at)
  }
  context.textAlign = 'center'
  context.textBaseline = 'top'
  for (const tick of options.xTicks ?? x.ticks) {
    const word = shortNumber(tick)
    const half = context.measureText(word).width / 2
    context.fillText(word, Math.min(x.at(tick), width - half - 1), box.bottom + 5)
  }
  context.fillText(options.xTitle, (box.left + box.right) / 2, box.bottom + 20)
  context.textAlign = 'left'
  context.fillText(options.yTitle, 4, 2)

  context.save()
  context.beginPath()
  context.rect(box.left, box.top - 2, box.right - box.left, box.bottom - box.top + 4)
  context.clip()
  context.lineWidth = 1.8
  context.lineJoin = 'round'
  for (const series of options.series) {
    context.strokeStyle = paint(`series-${series.color}`)
    context.setLineDash(series.dashed ? [6, 4] : [])
    strokeSeries(context, series, x.at, y.at)
  }
  context.restore()

  context.textAlign = 'left'
  const say = (word: string, left: number, top: number): void => {
    context.fillStyle = paint('page')
    context.fillRect(left - 2, top - 1, context.measureText(word).width + 4, 15)
    context.fillStyle = paint('ink')
    context.fillText(word, left, top)
  }
  for (const { x: markX, y: markY, word } of marks) {
    context.setLineDash([2, 3])
    context.strokeStyle = paint('ink')
    context.lineWidth = 1
    if (markX !== undefined) {
      const at = Math.round(x.at(markX)) + 0.5
      if (at < box.left - 1 || at > box.right + 1) continue
      line(context, at, box.top, at, box.bottom)
      const leftwards = at > (box.left + box.right) / 2
      say(word, leftwards ? at - 5 - context.measureText(word).width : at + 5, box.top + 2)
    } else if (markY !== undefined) {
      const at = Math.round(y.at(markY)) + 0.5
      if (at < box.top - 1 || at > box.bottom + 1) continue
      line(context, box.left, at, box.right, at)
      say(word, box.left + 6, at < box.top + 18 ? at + 3 : at - 16)
    }
  }
  context.setLineDash([])
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath()
  context.moveTo(x0, y0)
  context.lineTo(x1, y1)
  context.stroke()
}

/** A line through the points; of many in one column of pixels the least and the largest, which is all that is seen. */
function strokeSeries(
  context: CanvasRenderingContext2D,
  { x, y }: ChartSeries,
  atX: (value: number) => number,
  atY: (value: number) => number,
): void {
  context.beginPath()
  let drawing = false
  let column = Number.NaN
  let low = 0
  let high = 0
  let last = 0
  const flush = (): void => {
    if (Number.isNaN(column)) return
    if (low !== high) {
      context.lineTo(column, low)
      context.lineTo(column, high)
    }
    context.lineTo(column, last)
  }
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [Math.round(atX(x[i]!) * 2) / 2, atY(y[i]!)]
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      flush()
      column = Number.NaN
      drawing = false
      continue
    }
    if (px === column) {
      low = Math.min(low, py)
      high = Math.max(high, py)
      last = py
      continue
    }
    flush()
    if (!drawing) context.moveTo(px, py)
    drawing = true
    column = px
    low = py
    high = py
    last = py
  }
  flush()
  context.stroke()
}

function scaleOf(
  lists: readonly ArrayLike<number>[],
  range: readonly [number, number] | undefined,
  log: boolean | undefined,
  from: number,
  to: number,
): Scale {
  let [low, high] = range ?? [Infinity, -Infinity]
  if (!range) {
    for (const values of lists) {
      for (let i = 0; i < values.length; i++) {
        const value = values[i]!
        if (!Number.isFinite(value) || (log && value <= 0)) continue
        if (value < low) low = value
        if (value > high) high = value
      }
    }
  }
  if (!(low <= high)) [low, high] = log ? [0.1, 1] : [0, 1]
  if (low === high) {
    ;[low, high] = log ? [low / 2, high * 2] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2]
  }
  const ends = log ? [Math.log10(low), Math.log10(high)] : [low, high]
  const pad = range ? 0 : (ends[1]! - ends[0]!) * 0.03
  const [first, last] = [ends[0]! - pad, ends[1]! + pad]
  const at = (value: number): number => {
    const place = log ? (value > 0 ? Math.log10(value) : Number.NaN) : value
    return from + ((place - first) / (last - first)) * (to - from)
  }
  const valueAt = (pixel: number): number => {
    const place = first + ((pixel - from) / (to - from)) * (last - first)
    return log ? 10 ** place : place
  }
  return {
    at,
    valueAt,
    ticks: axisTicks(first, last, log ?? false, Math.abs(to - from) * (from > to ? 1.9 : 1)),
  }
}
