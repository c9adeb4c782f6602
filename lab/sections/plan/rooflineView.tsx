import { chip } from 'tpu-toolkit/hardware'
import type { OperationRow } from 'tpu-toolkit/roofline'
import { readable, secondsText } from '#text'
import { axisTicks, shortNumber } from '../../parts/axisTicks.js'
import { DataTable } from '../../parts/dataTable.js'
import { state } from './planState.js'

const [width, height] = [720, 400]
const frame = { left: 70, right: 16, top: 30, bottom: 50 }

/** The operations of a model under the roof of one chip. */
export function Roofline({
  critical,
  rows,
}: {
  readonly critical: number
  readonly rows: readonly OperationRow[]
}) {
  const total = rows.reduce((sum, { seconds }) => sum + seconds, 0)
  const byHbm = rows.reduce((sum, { seconds, boundBy }) => sum + (boundBy === 'hbm' ? seconds : 0), 0)
  const says = `${state.chip.value}: bound by compute from ${critical.toFixed(0)} FLOPs per byte on. ${secondsText(total)} at peak rates, ${secondsText(byHbm)} of them bound by HBM.`
  return (
    <>
      <p class="said" role="status">
        {says}
      </p>
      <figure>
        <Drawing critical={critical} rows={rows} says={says} />
        <figcaption>
          Round: bound by compute. Squares: bound by HBM. Each operation stands on the roof, where it is at
          best.
        </figcaption>
      </figure>
      <DataTable
        name="Operations"
        head={['operation', 'pass', 'copies', 'GFLOP', 'MB', 'FLOP/byte', 'time', 'bound by']}
        rows={rows.map(({ name, pass, copies, flops, bytes, intensity, seconds, boundBy }) => [
          name,
          pass,
          copies,
          readable(flops / 1e9),
          readable(bytes / 1e6),
          readable(intensity),
          secondsText(seconds),
          boundBy,
        ])}
      />
    </>
  )
}

function Drawing(props: {
  readonly critical: number
  readonly rows: readonly OperationRow[]
  readonly says: string
}) {
  const { critical, rows, says } = props
  const { bfloat16FlopsPerSecond: peak, hbmBytesPerSecond } = chip(state.chip.value)
  const roof = (intensity: number): number => Math.min(peak, intensity * hbmBytesPerSecond)
  const drawn = rows.filter(({ intensity }) => intensity > 0 && Number.isFinite(intensity))
  const all = [critical / 100, critical * 10, ...drawn.map(({ intensity }) => intensity)]
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const x = scale(least, most, frame.left, width - frame.right)
  const y = scale(roof(least), 2 * peak, height - frame.bottom, frame.top)
  return (
    <svg class="roofline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={says}>
      {axisTicks(Math.log10(least), Math.log10(most), true, 600).map((tick) => (
        <text key={tick} x={x(tick)} y={height - frame.bottom + 20} text-anchor="middle" fill="var(--soft)">
          {shortNumber(tick)}
        </text>
      ))}
      {axisTicks(Math.log10(roof(least)), Math.log10(2 * peak), true, 300).map((tick) => (
        <g key={tick}>
          <line x1={frame.left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} stroke="var(--rule)" />
          <text x={frame.left - 8} y={y(tick) + 4} text-anchor="end" fill="var(--soft)">
            {shortNumber(tick / 1e12)}
          </text>
        </g>
      ))}
      <text x="4" y="19" fill="var(--soft)">
        TFLOP/s
      </text>
      <text x={(frame.left + width) / 2} y={height - 6} text-anchor="middle" fill="var(--soft)">
        FLOPs per byte of HBM
      </text>
      <line
        x1={x(critical)}
        x2={x(critical)}
        y1={y(peak)}
        y2={height - frame.bottom}
        stroke="var(--soft)"
        stroke-dasharray="4 4"
      />
      <polyline
        points={[least, critical, most].map((at) => `${x(at)},${y(roof(at))}`).join(' ')}
        fill="none"
        stroke="var(--ink)"
        stroke-width="2"
      />
      {drawn.map(({ name, pass, intensity, boundBy }, i) =>
        boundBy === 'compute' ? (
          <circle key={i} cx={x(intensity)} cy={y(roof(intensity))} r="5" fill="var(--series-blue)">
            <title>{`${name}, ${pass}: ${intensity.toPrecision(3)} FLOPs per byte`}</title>
          </circle>
        ) : (
          <rect
            key={i}
            x={x(intensity) - 5}
            y={y(roof(intensity)) - 5}
            width="10"
            height="10"
            fill="var(--series-orange)"
          >
            <title>{`${name}, ${pass}: ${intensity.toPrecision(3)} FLOPs per byte`}</title>
          </rect>
        ),
      )}
    </svg>
  )
}

/** A logarithmic scale from values to places. */
function scale(least: number, most: number, from: number, to: number): (value: number) => number {
  const span = Math.log(most / least) || 1
  return (value) => Number((from + (Math.log(value / least) / span) * (to - from)).toFixed(1))
}
