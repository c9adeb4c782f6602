import { said } from './numberState.js'
import type { Placed } from './placed.js'

const width = 300
/** The picture's part from the value below to the value above; beside it is where numbers beyond the format are. */
const [left, right] = [30, width - 30]

/** A number line from one neighbour of what a number rounds to, to the other. */
export function PlacedLine({ x, placed }: { readonly x: number; readonly placed: Placed }) {
  const { value, centre, below, above, low, high, lowRounds, highRounds } = placed
  // Scaled, so that neither the largest nor the smallest float64 leaves the range.
  const scale = Math.abs(centre) > 1 ? 2 ** -4 : 2 ** 60
  const reach = (to: number): number => to * scale - centre * scale
  const gap = above === undefined ? -reach(below ?? centre / 2) : reach(above)
  const first = below === undefined ? -gap : reach(below)
  const at = (to: number): number => {
    const share = (reach(to) - first) / (gap - first)
    return Math.min(width - 6, Math.max(6, left + share * (right - left)))
  }
  const beyond = !Number.isFinite(value)
  const ends = [
    [low, lowRounds],
    [high, highRounds],
  ] as const
  const digits = digitsOf([below, centre, above])
  const label = (one: number): string =>
    Number.isFinite(one) ? String(Number(one.toPrecision(digits))) : said(one)
  // Of float64 the distances, since two neighbours in all digits have no room beside each other.
  const neighbour = (one: number): string =>
    digits <= 10 ? label(one) : `${one > centre ? '+ ' : '- '}${Math.abs(one - centre).toExponential(2)}`
  const says = beyond
    ? `${said(x)} is beyond ${said(centre)}, the last value of ${placed.name}: it becomes ${said(value)}.`
    : `${said(x)} rounds to ${said(value)} in ${placed.name}${below === undefined ? '' : `; below is ${said(below)}`}${above === undefined ? '' : `, above ${said(above)}`}.`
  return (
    <svg class="placed" viewBox={`0 -4 ${width} 60`} role="img" aria-label={says}>
      <line x1="0" x2={width} y1="26" y2="26" stroke="var(--edge)" />
      <rect
        x={at(low)}
        width={Math.max(0, at(high) - at(low))}
        y="21"
        height="10"
        fill="var(--accent)"
        opacity="0.25"
      />
      {ends.map(([end, rounds], i) =>
        Number.isFinite(end) ? (
          <circle
            key={i}
            cx={at(end)}
            cy="26"
            r="3.5"
            stroke="var(--accent)"
            stroke-width="1.5"
            fill={rounds ? 'var(--accent)' : 'var(--page)'}
          />
        ) : null,
      )}
      {[below, above].map((one, i) =>
        one === undefined ? null : (
          <line key={i} x1={at(one)} x2={at(one)} y1="17" y2="35" stroke="var(--ink)" stroke-width="1.5" />
        ),
      )}
      <line
        x1={at(centre)}
        x2={at(centre)}
        y1="14"
        y2="38"
        stroke={beyond ? 'var(--ink)' : 'var(--accent)'}
        stroke-width={beyond ? 1.5 : 3.5}
      />
      <text x={within(at(centre), label(centre))} y="10" text-anchor="middle" fill="var(--ink)">
        {label(centre)}
      </text>
      {below !== undefined && (
        <text x="0" y="51" fill="var(--soft)">
          {neighbour(below)}
        </text>
      )}
      <text x={width} y="51" text-anchor="end" fill="var(--soft)">
        {above === undefined ? edge(placed) : neighbour(above)}
      </text>
      <circle cx={at(x)} cy="26" r="4.5" fill="var(--series-red)" stroke="var(--page)" />
    </svg>
  )
}

/** What is above the largest value. */
function edge({ value, centre, high }: Placed): string {
  if (high === Infinity && value === centre) return 'all above, too'
  return Number.isFinite(value) ? 'overflow' : `${said(value)} beyond`
}

/** The fewest digits, four at least, that tell values apart. */
function digitsOf(values: readonly (number | undefined)[]): number {
  const there = values.filter((value) => value !== undefined)
  for (let digits = 5; digits < 17; digits++) {
    if (new Set(there.map((value) => Number(value.toPrecision(digits)))).size === there.length) return digits
  }
  return 17
}

/** The middle of a text, such that it is not cut off; a digit is about 8.4 wide on a phone. */
function within(at: number, text: string): number {
  const half = text.length * 4.2
  return Math.min(width - half, Math.max(half, at))
}
