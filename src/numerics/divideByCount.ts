import { cast, type DType, div, type FloatDType, type Tensor } from '../tensors/tensor/index.js'

/**
 * x / n with the exact count n, rounded once to `dtype`. A count is not an element: 511 is not a bfloat16, and dividing
 * by 512 instead would be another statistic. The float64 quotient between is innocuous: 53 bits are at least
 * 2 x 24 + 2 for float32, and enough for quotients of 16-bit formats by counts up to 2^32.
 */
export function divideByCount<D extends DType = FloatDType>(x: Tensor, n: number, dtype: D): Tensor<D> {
  return cast(div(cast(x, 'float64'), n), dtype)
}
