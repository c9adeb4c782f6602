import type { DataTensor } from './dataSet.js'

/** What has to be known of a tensor before it is quantised. */
export interface Survey {
  readonly values: number
  /** Values that are not zero. */
  readonly nonzero: number
  readonly amax: number
  readonly sumOfSquares: number
  readonly notFinite: number
  /** Values by floor(log2 |x|), from 2^-127 (with all below) to 2^127; zeros are not counted. */
  readonly exponents: Float64Array
}

/** The power of two of the first entry of `exponents`. */
export const leastExponent = -127

/** Reads a tensor once. */
export function survey(tensor: DataTensor): Survey {
  let [values, nonzero, amax, sumOfSquares, notFinite] = [0, 0, 0, 0, 0]
  const exponents = new Float64Array(256)
  for (const piece of tensor.pieces()) {
    const words = new Uint32Array(piece.values.buffer, piece.values.byteOffset, piece.values.length)
    values += words.length
    for (let i = 0; i < words.length; i++) {
      const field = (words[i]! >>> 23) & 0xff
      if (field === 255) {
        notFinite++
        continue
      }
      const x = piece.values[i]!
      sumOfSquares += x * x
      amax = Math.max(amax, Math.abs(x))
      if (x === 0) continue
      nonzero++
      exponents[field]!++
    }
  }
  return { values, nonzero, amax, sumOfSquares, notFinite, exponents }
}
