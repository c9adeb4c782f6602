import type { FailureSeries } from './failure.js'

/** A number in a sentence: whole numbers whole, thousands apart; others in six digits if that is all they have, else four. */
export function say(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : '-Inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
  const six = Number(value.toPrecision(6))
  if (Math.abs(value) < 1e-4) return Number(value.toPrecision(4)).toExponential()
  return String(six === value ? six : Number(value.toPrecision(4)))
}

/** Values against their positions, counted from `first`: at most some 200 of them, the first and the last included. */
export function overSteps(values: ArrayLike<number>, first = 1): FailureSeries['points'] {
  const stride = Math.max(1, Math.ceil(values.length / 200))
  const kept = Array.from({ length: Math.ceil(values.length / stride) }, (_, k) => k * stride)
  const last = values.length - 1
  if (last >= 0 && kept.at(-1) !== last) kept.push(last)
  return kept.map((i) => ({ x: i + first, y: values[i]! }))
}

/** The line of the stable way, or of what is exact. */
export const blue = (name: string, points: FailureSeries['points'], dots?: 'no dots'): FailureSeries => ({
  ...{ name, color: 'blue', points },
  ...(dots && { dots: false }),
})

/** The line of the way that fails. */
export const red = (name: string, points: FailureSeries['points'], dots?: 'no dots'): FailureSeries => ({
  ...blue(name, points, dots),
  color: 'red',
})
