/** What storing numbers in a narrow format has cost so far, over everything ever added. */
export interface StorageError {
  /** Finite numbers stored. */
  readonly count: number
  /** Largest |stored - x| and the root of the mean of its square. */
  readonly maxAbs: number
  readonly rms: number
  /** rms over the root mean square of x; 0 where everything was 0. */
  readonly relativeRms: number
  /** Finite numbers that became Infinity or NaN, since the format does not reach so far. They are in no mean. */
  readonly overflows: number
  /** Numbers other than 0 that became 0. */
  readonly underflows: number
  /** How often a scale grew, and the largest change that this made to a number that was stored already. */
  readonly rescales: number
  readonly rescaleMaxAbs: number
}

/** Names of the running sums, in the order a file keeps them. */
const sums = 8

/** The running sums behind a StorageError. */
export class ErrorSums {
  readonly state: Float64Array = new Float64Array(sums)

  /** Counts x, finite, which is read back as `stored`. */
  count(x: number, stored: number): void {
    const s = this.state
    const error = Math.abs(stored - x)
    if (!(error < Infinity)) {
      s[4]!++
      return
    }
    s[0]!++
    if (error > s[1]!) s[1] = error
    s[2]! += error * error
    s[3]! += x * x
    if (stored === 0 && x !== 0) s[5]!++
  }

  rescaled(maxChange: number): void {
    this.state[6]!++
    this.state[7] = Math.max(this.state[7]!, maxChange)
  }

  report(): StorageError {
    const [count, maxAbs, squares, total, overflows, underflows, rescales, rescaleMaxAbs] = this
      .state as unknown as [number, number, number, number, number, number, number, number]
    return {
      count,
      maxAbs,
      rms: count === 0 ? 0 : Math.sqrt(squares / count),
      relativeRms: total === 0 ? 0 : Math.sqrt(squares / total),
      overflows,
      underflows,
      rescales,
      rescaleMaxAbs,
    }
  }
}
