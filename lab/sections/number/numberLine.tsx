import { decode, type FloatFormat, nextDown, nextUp } from 'tpu-toolkit/formats'
import { said, typedNumber } from './numberState.js'

/** The format's values around the number, and the ties between them. */
export function NumberLine({ record, code }: { readonly record: FloatFormat; readonly code: number }) {
  const centre = decode(code, record)
  if (!Number.isFinite(centre)) return null
  const values = around(centre, record)
  const [low, high] = [values[0]!, values.at(-1)!]
  if (!(high > low)) return null
  const at = (value: number): number => 30 + ((value - low) / (high - low)) * 940
  const x = typedNumber.value
  const ties = values.slice(1).map((value, i) => (value + values[i]!) / 2)
  const inside = x >= low && x <= high
  return (
    <figure>
      <svg
        class="line"
        viewBox="0 -8 1000 106"
        role="img"
        aria-label={`The values of ${record.name} from ${said(low)} to ${said(high)}, with ${said(x)} among them.`}
      >
        <line x1="10" x2="990" y1="46" y2="46" stroke="var(--edge)" />
        {ties.map((tie) => (
          <line
            key={tie}
            x1={at(tie)}
            x2={at(tie)}
            y1="36"
            y2="56"
            stroke="var(--edge)"
            stroke-dasharray="2 3"
          />
        ))}
        {values.map((value, i) => (
          <g key={value}>
            <line
              x1={at(value)}
              x2={at(value)}
              y1="30"
              y2="62"
              stroke={value === centre ? 'var(--accent)' : 'var(--ink)'}
              stroke-width={value === centre ? 4 : 2}
            />
            <text
              x={at(value)}
              y={i % 2 === 0 ? 68 : 22}
              dominant-baseline={i % 2 === 0 ? 'hanging' : 'auto'}
              text-anchor={i === 0 ? 'start' : i === values.length - 1 ? 'end' : 'middle'}
              fill="var(--ink)"
            >
              {Number(value.toPrecision(6))}
            </text>
          </g>
        ))}
        {inside && <circle cx={at(x)} cy="46" r="7" fill="var(--series-red)" />}
      </svg>
      <figcaption>
        Neighbouring values, the ties between them dashed; the red dot is the number, the thick stroke what it
        rounds to.
      </figcaption>
    </figure>
  )
}

/** Three neighbours on each side, as far as the format has them. */
function around(centre: number, record: FloatFormat): number[] {
  const values = [centre]
  for (let i = 0; i < 3; i++) {
    const [down, up] = [nextDown(values[0]!, record), nextUp(values.at(-1)!, record)]
    if (Number.isFinite(down) && down < values[0]!) values.unshift(down)
    if (Number.isFinite(up) && up > values.at(-1)!) values.push(up)
  }
  return values
}
