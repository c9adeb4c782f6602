import type { FloatFormat } from '../numbers/formats/index.js'

/**
 * One power of two per number of a row, the smallest for which everything finite seen so far fits the format. It only
 * grows. Powers of two scale without rounding, so a scale costs no precision and growing costs none either, except to
 * numbers that fall below the format's smallest normal number.
 */
export class RunningScale {
  /** 2^exponent for each number: stored = x / scale. */
  readonly scales: Float64Array
  /** What fits now: |x| beyond it makes the scale grow. */
  readonly #limits: Float64Array
  readonly #format: FloatFormat
  readonly #least: number
  readonly #most: number

  constructor(format: FloatFormat, scales: Float64Array) {
    this.#format = format
    this.scales = scales
    // Decoded numbers are float32: within these bounds every product of a code's value and a scale is exact there.
    this.#least = -149 - Math.log2(format.minPositive)
    this.#most = 127 - format.maxExponent
    this.#limits = new Float64Array(scales.length)
    for (let j = 0; j < scales.length; j++) this.setScale(j, scales[j]! || 2 ** this.#least)
  }

  setScale(j: number, scale: number): void {
    this.scales[j] = scale
    this.#limits[j] = scale >= 2 ** this.#most ? Infinity : scale * this.#format.max
  }

  /** Whether x, a finite number, makes number j's scale grow. */
  outgrown(j: number, x: number): boolean {
    return Math.abs(x) > this.#limits[j]!
  }

  /** The smallest scale for number j that x fits. */
  scaleFor(x: number): number {
    const { max } = this.#format
    let exponent = Math.max(this.#least, Math.ceil(Math.log2(Math.abs(x) / max)))
    // log2 may be off by a rounding on either side.
    while (exponent > this.#least && Math.abs(x) <= 2 ** (exponent - 1) * max) exponent--
    while (Math.abs(x) > 2 ** exponent * max) exponent++
    return 2 ** Math.min(exponent, this.#most)
  }
}
