import { checkTensor, isFloat, type Tensor } from '../../../tensors/tensor/index.js'

/** Throws unless x is a float tensor whose last axis has the features that a layer reads. */
export function checkInput(op: string, x: Tensor, features: number, rank = 1): void {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
  if (x.rank < rank) throw new RangeError(`${op}: x has fewer than ${rank} axes [${x.shape.join(', ')}]`)
  if (x.shape.at(-1) !== features) {
    throw new RangeError(`${op}: the last axis of x has not ${features} features [${x.shape.join(', ')}]`)
  }
}
