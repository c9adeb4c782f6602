import type { Tensor } from '../../tensors/tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { leafMean } from './leafMean.js'

/** The root of the mean of a leaf's squares, one element. */
export function leafRms(a: Elementwise, x: Tensor): Tensor {
  return a.sqrt(leafMean(a, a.mul(x, x)))
}
