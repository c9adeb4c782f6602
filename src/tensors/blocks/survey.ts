import { checkFunction, checkIterable, checkRecord } from '../../base/options/index.js'
import type { PiecewiseTensor } from './piecewise.js'

/** What has to be known of a tensor before it is quantised. */
export interface Survey {
  readonly values: number
  /** Values that are not zero. */
  readonly nonzero: number
  /** The largest magnitude, and the sum of squares, of the finite values. */
  readonly amax: number
  readonly sumOfSquares: number
  readonly notFinite: number
  /** Values by floor(log2 |x|), from 2^-127 (with all below) to 2^127 (with all above); zeros are not counted. */
  readonly exponents: Float64Array
}

/** The power of two of the first entry of `exponents`. */
export const leastExponent = -127

/**
 * Reads a tensor once, a piece at a time.
 *
 * @example survey(piecewise('w', [3], () => Float32Array.of(1, -4, 0))).amax // 4
 */
export function survey(tensor: PiecewiseTensor): Survey {
  checkRecord('survey', 'tensor', tensor, ['pieces'])
  let [values, nonzero, amax, sumOfSquares, notFinite] = [0, 0, 0, 0, 0]
  const exponents = new Float64Array(255)
  checkFunction('survey', 'pieces', tensor.pieces)
  const pieces = tensor.pieces()
  checkIterable('survey', 'what pieces gave', pieces)
  for (const piece of pieces) {
    checkRecord('survey', 'a piece', piece, ['values'])
    const numbers = piece.values
    const singles = numbers instanceof Float32Array ? numbers : Float32Array.from(numbers)
    const words = new Uint32Array(singles.buffer, singles.byteOffset, singles.length)
    values += numbers.length
    for (let i = 0; i < numbers.length; i++) {
      const x = numbers[i]!
      if (!Number.isFinite(x)) {
        notFinite++
        continue
      }
      sumOfSquares += x * x
      amax = Math.max(amax, Math.abs(x))
      if (x === 0) continue
      nonzero++
      exponents[Math.min((words[i]! >>> 23) & 0xff, 254)]!++
    }
  }
  return { values, nonzero, amax, sumOfSquares, notFinite, exponents }
}
