import { checkTensor, type DType, isFloat, type Tensor, wideDType } from '../tensors/tensor/index.js'

/** The dtype that stable functions work in: float32, or float64 where the data are float64 already. */
export type Wide<D extends DType> = D extends 'float64' ? 'float64' : 'float32'

/** Throws a TypeError unless the elements are floating-point numbers. */
export function checkFloats(op: string, x: Tensor): void {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
}

/** The dtype that a stable function works in. */
export function wide<D extends DType>(op: string, x: Tensor<D>): Wide<D> {
  checkFloats(op, x)
  return wideDType(x.dtype) as Wide<D>
}
