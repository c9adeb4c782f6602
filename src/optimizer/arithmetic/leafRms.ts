import type { Tensor } from '../../tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { type Decoded, decodedOf } from './decoded.js'
import { leafMean } from './leafMean.js'

/** The root of the mean of a leaf's squares, one element. */
export function leafRms(a: Elementwise, x: Tensor): Decoded {
  return a.sqrt(leafMean(a, a.mul(decodedOf(x), x)))
}
