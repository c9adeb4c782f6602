import type { FailureSeries } from './failure.js'

/** Values against their positions, counted from `first`: at most some 200 of them, the first and the last included. */
export function overSteps(values: ArrayLike<number>, first = 1): FailureSeries['points'] {
  const stride = Math.max(1, Math.ceil(values.length / 200))
  const kept = Array.from({ length: Math.ceil(values.length / stride) }, (_, k) => k * stride)
  const last = values.length - 1
  if (last >= 0 && kept.at(-1) !== last) kept.push(last)
  return kept.map((i) => ({ x: i + first, y: values[i]! }))
}
