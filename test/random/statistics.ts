/** Mean and the distance of a sample's mean from it, in standard errors. */
export function sigmas(values: ArrayLike<number>, mean: number, deviation: number): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return Math.abs(sum / values.length - mean) / (deviation / Math.sqrt(values.length))
}

/** How far a count of n draws is from n p, in standard deviations. */
export function countSigmas(count: number, n: number, p: number): number {
  return Math.abs(count - n * p) / Math.sqrt(n * p * (1 - p))
}

/**
 * Kolmogorov's statistic sqrt(n) sup |F_n - F|: above 4.3 with a probability of 2 exp(-2 4.3^2) = 2e-16, and with
 * float32 ties of 2^-23 far below 1 / sqrt(n).
 */
export function kolmogorov(values: ArrayLike<number>, cdf: (x: number) => number): number {
  const sorted = Float64Array.from(values).sort()
  const n = sorted.length
  let worst = 0
  for (let i = 0; i < n; i++) {
    const f = cdf(sorted[i]!)
    worst = Math.max(worst, Math.abs(f - i / n), Math.abs(f - (i + 1) / n))
  }
  return worst * Math.sqrt(n)
}
