/**
 * The references: float64, every long sum carried in two float64 words, so that their own error (about
 * n 2^-106 of the sum of magnitudes, then one rounding to float64) is far below whatever they judge.
 */

/** A running sum in two words. */
export class LongSum {
  #high = 0
  #low = 0

  /** Adds x: the exact error of each addition goes to the low word. */
  add(x: number): void {
    const sum = this.#high + x
    const kept = sum - this.#high
    this.#low += this.#high - (sum - kept) + (x - kept)
    this.#high = sum
  }

  /** The sum so far, rounded once to float64. */
  get value(): number {
    return this.#high + this.#low
  }
}

/** The sum of all values. */
export function longSum(values: ArrayLike<number>): number {
  const sum = new LongSum()
  for (let i = 0; i < values.length; i++) sum.add(values[i]!)
  return sum.value
}

/** Every partial sum. */
export function exactCumsum(values: ArrayLike<number>): Float64Array {
  const sum = new LongSum()
  return Float64Array.from({ length: values.length }, (_, i) => {
    sum.add(values[i]!)
    return sum.value
  })
}

/** The matrix product of a [m, k] and b [k, n]. Products of values of at most 26 bits are exact in float64. */
export function exactMatmul(a: Float64Array, b: Float64Array, m: number, k: number, n: number): Float64Array {
  const out = new Float64Array(m * n)
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const sum = new LongSum()
      for (let p = 0; p < k; p++) sum.add(a[i * k + p]! * b[p * n + j]!)
      out[i * n + j] = sum.value
    }
  }
  return out
}

/** Mean of the values, and the mean square distance from it (divided by n). */
export function exactMoments(values: ArrayLike<number>): { mean: number; variance: number } {
  const mean = longSum(values) / values.length
  const squares = new LongSum()
  const rest = new LongSum()
  for (let i = 0; i < values.length; i++) {
    const distance = values[i]! - mean
    squares.add(distance * distance)
    rest.add(distance)
  }
  // The second term takes away what the rounding of the mean put in.
  return { mean, variance: (squares.value - rest.value ** 2 / values.length) / values.length }
}

/** The sample covariance (divided by n - 1) of rows x columns values, row-major. */
export function exactCovariance(values: Float64Array, rows: number, columns: number): Float64Array {
  const centred = new Float64Array(values.length)
  for (let j = 0; j < columns; j++) {
    const sum = new LongSum()
    for (let i = 0; i < rows; i++) sum.add(values[i * columns + j]!)
    const mean = sum.value / rows
    for (let i = 0; i < rows; i++) centred[i * columns + j] = values[i * columns + j]! - mean
  }
  const out = new Float64Array(columns * columns)
  for (let a = 0; a < columns; a++) {
    for (let b = a; b < columns; b++) {
      const sum = new LongSum()
      for (let i = 0; i < rows; i++) sum.add(centred[i * columns + a]! * centred[i * columns + b]!)
      out[a * columns + b] = out[b * columns + a] = sum.value / (rows - 1)
    }
  }
  return out
}

/** exp(x - max) / sum. */
export function exactSoftmax(values: Float64Array): Float64Array {
  const max = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const powers = values.map((x) => Math.exp(x - max))
  const total = longSum(powers)
  return powers.map((power) => power / total)
}

/** m = decay m + (1 - decay) x from 0, every m. float64 throughout: the recurrence forgets its own errors. */
export function exactEma(values: Float64Array, decay: number): Float64Array {
  let mean = 0
  return values.map((x) => {
    mean = decay * mean + (1 - decay) * x
    return mean
  })
}
