import { useEffect, useRef } from 'preact/hooks'
import type { ShownAddition } from './additionsOf.js'
import type { ShownOrder } from './orders.js'
import { height, type Places, type Point, placesOf, width } from './placesOf.js'

/** Who adds what to what in an order: after `done` additions, the last of which is seen to move. */
export function OrderPicture(props: {
  readonly order: ShownOrder
  readonly values: readonly number[]
  readonly additions: readonly ShownAddition[]
  readonly done: number
}) {
  const { order, values, additions, done } = props
  const places = placesOf(order, values.length, additions)
  const last = additions[done - 1]
  const moved = useMoved(done, places)
  const involved = new Set(additions.slice(0, done).flatMap(({ machine, from }) => [machine, from]))
  const complete = done === additions.length
  const words = sentence(last, done, additions.length)
  return (
    <figure class="order">
      <h3>{order}</h3>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${order}. ${words}`}>
        {places.additions.map(({ own, from, to }, i) => {
          const [stroke, thick] =
            i === done - 1
              ? ['var(--series-red)', 3]
              : i < done
                ? ['var(--series-blue)', 2]
                : ['var(--rule)', 1.2]
          return (
            <g key={i} stroke={stroke} stroke-width={thick}>
              <Line from={from} to={to} />
              {own !== to && <Line from={own} to={to} />}
            </g>
          )
        })}
        {places.machines.map(({ x, y }, machine) => {
          const taken = involved.has(machine)
          const isLast = last?.machine === machine && order !== 'tree'
          return (
            <g key={machine}>
              <circle
                cx={x}
                cy={y}
                r={places.radius}
                fill={taken ? 'var(--series-blue)' : 'var(--page)'}
                stroke={isLast ? 'var(--series-red)' : taken ? 'var(--series-blue)' : 'var(--edge)'}
                stroke-width={isLast ? 3 : 1.5}
              />
              {places.radius >= 9 && (
                <text x={x} y={y + 4} text-anchor="middle" fill={taken ? 'var(--page)' : 'var(--ink)'}>
                  {machine}
                </text>
              )}
            </g>
          )
        })}
        {order === 'tree' &&
          places.additions
            .slice(0, done)
            .map(({ to }, i) => (
              <circle
                key={i}
                cx={to.x}
                cy={to.y}
                r={Math.min(5, places.radius)}
                fill={i === done - 1 ? 'var(--series-red)' : 'var(--series-blue)'}
              />
            ))}
        {last && (
          <Token token={moved} at={places.additions[done - 1]!.to} text={short(last.sum)} {...places} />
        )}
      </svg>
      <figcaption>
        {words}
        {complete && additions.length > 0 && ' It is the sum, which is then copied to every machine.'}
      </figcaption>
    </figure>
  )
}

function Line({ from, to }: { readonly from: Point; readonly to: Point }) {
  return <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
}

/** The partial sum, above the place where it is. */
function Token(props: {
  readonly token: ReturnType<typeof useMoved>
  readonly at: Point
  readonly text: string
  readonly radius: number
}) {
  const { token, at, text, radius } = props
  const half = 4.2 * text.length + 5
  const x = Math.min(width - half, Math.max(half, at.x))
  const y = Math.max(11, at.y - radius - 12)
  return (
    <g class="token" ref={token}>
      <rect
        x={x - half}
        y={y - 10}
        width={2 * half}
        height="20"
        rx="5"
        fill="var(--page)"
        stroke="var(--series-red)"
        stroke-width="1.5"
      />
      <text x={x} y={y + 4.5} text-anchor="middle" fill="var(--ink)" font-weight="600">
        {text}
      </text>
    </g>
  )
}

/** The partial sum on its way from the sender to the machine that adds it; without motion for readers who prefer none. */
function useMoved(done: number, { additions }: Places) {
  const token = useRef<SVGGElement>(null)
  const before = useRef(done)
  useEffect(() => {
    const forward = done === before.current + 1
    before.current = done
    const place = additions[done - 1]
    if (!forward || !place || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined
    const { from, to } = place
    const moving = token.current?.animate(
      [{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: 'translate(0, 0)' }],
      { duration: 450, easing: 'ease-in-out' },
    )
    return () => moving?.cancel()
  }, [done])
  return token
}

function sentence(last: ShownAddition | undefined, done: number, count: number): string {
  if (!last) return `Nothing is added yet: ${count} addition${count === 1 ? '' : 's'}.`
  const { machine, from, left, right, sum } = last
  const lost = sum - (left + right)
  const rounding = lost === 0 ? 'exactly' : `rounded by ${short(lost)}`
  return `Addition ${done} of ${count}: machine ${machine} is sent ${short(last.sent)} by machine ${from}; ${short(left)} + ${short(right)} = ${short(sum)}, ${rounding}.`
}

const short = (value: number): string => String(Number(value.toPrecision(7)))
