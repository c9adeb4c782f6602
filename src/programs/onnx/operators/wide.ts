import { cast, type DType, dtypeFacts, isFloat, type Tensor } from '../../../tensors/tensor/index.js'

/** Whether a dtype is a floating-point format of 16 bits or less. */
export function isNarrow(dtype: DType): boolean {
  return isFloat(dtype) && dtypeFacts(dtype).bits <= 16
}

/** The same elements in float32 where the dtype has 16 bits or less. */
export function widened(x: Tensor): Tensor {
  return isNarrow(x.dtype) ? cast(x, 'float32') : x
}

/**
 * Computes an operator that ONNX defines as one step in float32 and rounds its result once to the dtype of the operand, where that has 16
 * bits or less; in the dtype itself otherwise. It is what ONNX Runtime's kernels do.
 */
export function inWide(x: Tensor, f: (x: Tensor) => Tensor): Tensor {
  return isNarrow(x.dtype) ? cast(f(cast(x, 'float32')), x.dtype) : f(x)
}
