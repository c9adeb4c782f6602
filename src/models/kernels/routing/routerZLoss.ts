import { logsumexp } from '../../../numerics/index.js'
import {
  cast,
  checkTensor,
  isFloat,
  mean,
  square,
  type Tensor,
  wideDType,
} from '../../../tensors/tensor/index.js'

/**
 * The mean of log(sum exp logits)^2 over tokens: keeps logits small, so that they survive low precision.
 *
 * Shape     logits [tokens, experts] -> a number.
 * Dtype     float32, float64 for float64.
 * Rounding  logits widened; max + log of the running sum of exp(l - max), its square, the running sum over tokens, each; divided
 *           by the exact count.
 * Source    ST-MoE, arXiv 2202.08906, (5); added to the loss times .001 there
 *
 * @example routerZLoss(tensor([[0, 0]])).item() // 0.4804530143737793
 */
export function routerZLoss(logits: Tensor): Tensor {
  checkTensor('routerZLoss', logits)
  if (!isFloat(logits.dtype)) {
    throw new TypeError(`routerZLoss: needs a floating-point dtype, cast first [${logits.dtype}]`)
  }
  if (logits.rank !== 2) throw new RangeError(`routerZLoss: logits are no table [${logits.shape.join(', ')}]`)
  const wide: Tensor = cast(logits, wideDType(logits.dtype))
  return mean(square(logsumexp(wide, { axis: -1 })))
}
