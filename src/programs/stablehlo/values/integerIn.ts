import type { Tensor } from '../../../tensors/tensor/index.js'

/** An element of a tensor of integers as a number; of 64 bits too, where it is at most 2^53. */
export function integerIn(x: Tensor, index: number): number {
  return Number(x.data[index]!)
}
