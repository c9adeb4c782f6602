import type { ComponentChildren } from 'preact'
import type { SeriesColor } from './drawChart.js'

/** A part of a picture: a box of 360 x 150 at most, in whose ranges values are placed. */
export interface Field {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
}

/** Where a value lies between two pixels. */
const place = (value: number, [low, high]: readonly [number, number], from: number, to: number): number =>
  Number((from + ((value - low) / (high - low)) * (to - from)).toFixed(1))

/** A line through values, one a column. */
export function Line(props: {
  readonly field: Field
  readonly x: readonly number[]
  readonly y: readonly number[]
  readonly color: SeriesColor
  readonly dashed?: boolean
}) {
  const { field, x, y, color, dashed } = props
  const points = x.map(
    (value, i) =>
      `${place(value, field.x, field.left, field.right)},${place(y[i]!, field.y, field.bottom, field.top)}`,
  )
  return (
    <polyline
      points={points.join(' ')}
      fill="none"
      stroke={`var(--series-${color})`}
      stroke-width="2"
      stroke-dasharray={dashed ? '5 3' : undefined}
    />
  )
}

/** The two axes of a field. */
export function Axes({ field: { left, right, top, bottom } }: { readonly field: Field }) {
  return <path d={`M${left} ${top} V${bottom} H${right}`} fill="none" stroke="var(--edge)" />
}

/** A text at a point: centred on it, or beginning or ending there by `from`. */
export function Words(props: {
  readonly x: number
  readonly y: number
  readonly color?: SeriesColor
  readonly from?: 'start' | 'middle' | 'end'
  readonly bold?: boolean
  readonly children: ComponentChildren
}) {
  const { x, y, color, from = 'middle', bold, children } = props
  return (
    <text
      x={x}
      y={y}
      text-anchor={from}
      fill={color ? `var(--series-${color})` : 'var(--ink)'}
      font-weight={bold ? 600 : undefined}
    >
      {children}
    </text>
  )
}

/** A box with words. */
export function Box(props: {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height?: number
  readonly color?: SeriesColor
  readonly children?: ComponentChildren
}) {
  const { x, y, width, height = 30, color, children } = props
  return (
    <>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx="5"
        fill={color ? `var(--series-${color})` : 'var(--panel)'}
        fill-opacity={color ? 0.18 : 1}
        stroke={color ? `var(--series-${color})` : 'var(--edge)'}
      />
      <Words x={x + width / 2} y={y + height / 2 + 5}>
        {children}
      </Words>
    </>
  )
}

/** A line from a place to another with a head at its end. */
export function Arrow(props: {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly color?: SeriesColor
}) {
  const [[x0, y0], [x1, y1]] = [props.from, props.to]
  const stroke = props.color ? `var(--series-${props.color})` : 'var(--soft)'
  const length = Math.hypot(x1 - x0, y1 - y0)
  const [dx, dy] = [((x1 - x0) / length) * 7, ((y1 - y0) / length) * 7]
  const side = (sign: number): string =>
    `${(x1 - dx - sign * dy * 0.5).toFixed(1)} ${(y1 - dy + sign * dx * 0.5).toFixed(1)}`
  return (
    <>
      <path d={`M${x0} ${y0} L${x1} ${y1}`} fill="none" stroke={stroke} stroke-width="1.5" />
      <path d={`M${side(1)} L${x1} ${y1} L${side(-1)}`} fill="none" stroke={stroke} stroke-width="1.5" />
    </>
  )
}
