/** The bits of error of a tensor's elements: the worst one, and the distribution. */
export interface ErrorSummary {
  readonly max: number
  /** The worst element, row-major; -1 where there is none. */
  readonly worst: number
  readonly mean: number
  readonly median: number
  /** 99 of 100 elements are off by no more. */
  readonly p99: number
  /** Elements that are off at all. */
  readonly wrong: number
  /** Elements left out, because they depend on a decision that came out differently. */
  readonly unattributed: number
}

/** The summary of `bits(i)` over n elements, those flagged left out. */
export function summarize(n: number, bits: (i: number) => number, flagged?: Uint8Array): ErrorSummary {
  const list: number[] = []
  let [max, worst, total, wrong] = [0, n > 0 ? 0 : -1, 0, 0]
  for (let i = 0; i < n; i++) {
    if (flagged?.[i]) continue
    const value = bits(i)
    list.push(value)
    total += value
    if (value > 0) wrong++
    if (value > max) {
      max = value
      worst = i
    }
  }
  const sorted = Float64Array.from(list).sort()
  const quantile = (q: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0
  return {
    max,
    worst,
    mean: list.length === 0 ? 0 : total / list.length,
    median: quantile(0.5),
    p99: quantile(0.99),
    wrong,
    unattributed: n - list.length,
  }
}
