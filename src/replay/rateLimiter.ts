import { checkOptions, type OptionTable, shown } from '../base/options/index.js'

/** How many rows are sampled for each row that is added; the meaning of the numbers is dm-reverb's. */
export interface RateLimit {
  /** Rows to be sampled per row added, once there are minSizeToSample rows. */
  readonly samplesPerInsert: number
  /** With fewer rows, nothing is sampled and everything may be added. */
  readonly minSizeToSample: number
  /**
   * How far inserts * samplesPerInsert - samples may stray: that many on both sides of
   * minSizeToSample * samplesPerInsert, or [least, most] as they are.
   */
  readonly errorBuffer: number | readonly [number, number]
}

export const rateLimitNames: OptionTable<RateLimit> = {
  samplesPerInsert: 'required',
  minSizeToSample: 'required',
  errorBuffer: 'required',
}

/**
 * Says when adding and when sampling has to wait for the other, so that their ratio is kept.
 *
 * Throws    RangeError for an errorBuffer so narrow, or so placed, that both sides would wait for ever.
 * Source    dm-reverb, reverb/cc/rate_limiter.cc and SampleToInsertRatio in reverb/rate_limiters.py, at 01eec16 and 05d0b62
 *
 * @example const limiter = new RateLimiter({ samplesPerInsert: 2, minSizeToSample: 10, errorBuffer: 8 })
 * limiter.canSample(1, 9) // false
 */
export class RateLimiter {
  readonly samplesPerInsert: number
  readonly minSizeToSample: number
  /** Least and most that inserts * samplesPerInsert - samples may be. */
  readonly minDiff: number
  readonly maxDiff: number
  /** Rows added and rows sampled so far. */
  inserts = 0
  samples = 0

  constructor(options: RateLimit) {
    checkOptions('RateLimiter', options, rateLimitNames)
    const { samplesPerInsert, minSizeToSample, errorBuffer } = options
    if (!(samplesPerInsert > 0 && samplesPerInsert < Infinity)) {
      throw new RangeError(
        `RateLimiter: samplesPerInsert is not a positive number [${String(samplesPerInsert)}]`,
      )
    }
    if (!(Number.isSafeInteger(minSizeToSample) && minSizeToSample > 0)) {
      throw new RangeError(
        `RateLimiter: minSizeToSample is not a positive integer [${String(minSizeToSample)}]`,
      )
    }
    const isPair = Array.isArray(errorBuffer) && errorBuffer.length === 2
    if (
      ![errorBuffer].flat().every((side) => typeof side === 'number') ||
      (!isPair && Array.isArray(errorBuffer))
    ) {
      throw new TypeError(`RateLimiter: errorBuffer is neither a number nor two [${shown(errorBuffer)}]`)
    }
    const offset = samplesPerInsert * minSizeToSample
    const [minDiff, maxDiff] =
      typeof errorBuffer === 'number' ? [offset - errorBuffer, offset + errorBuffer] : errorBuffer
    if (!(maxDiff - minDiff >= 2 * Math.max(1, samplesPerInsert))) {
      throw new RangeError(
        `RateLimiter: errorBuffer spans less than 2 max(1, samplesPerInsert) = ${2 * Math.max(1, samplesPerInsert)} [${String(errorBuffer)}]`,
      )
    }
    if (minDiff > offset || maxDiff < offset) {
      throw new RangeError(
        `RateLimiter: errorBuffer does not hold minSizeToSample * samplesPerInsert = ${offset}, both sides would wait [${String(errorBuffer)}]`,
      )
    }
    this.samplesPerInsert = samplesPerInsert
    this.minSizeToSample = minSizeToSample
    this.minDiff = minDiff
    this.maxDiff = maxDiff
  }

  /** Whether n more rows may be added to the `size` there are. */
  canInsert(n: number, size: number): boolean {
    if (size + n <= this.minSizeToSample) return true
    return (this.inserts + n) * this.samplesPerInsert - this.samples <= this.maxDiff
  }

  /** Whether n rows may be sampled of the `size` there are. */
  canSample(n: number, size: number): boolean {
    if (size < this.minSizeToSample) return false
    return this.inserts * this.samplesPerInsert - this.samples - n >= this.minDiff
  }
}
