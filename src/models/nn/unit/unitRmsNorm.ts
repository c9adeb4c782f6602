import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { checkTensor, type FloatDType, sizeOf, type Tensor } from '../../../tensors/tensor/index.js'
import { rmsNorm } from '../../kernels/index.js'
import { rescale } from './rescale.js'

/** Options of unitRmsNorm. */
export interface UnitRmsNormOptions {
  /** Multiplies the result, [features]. Default: none, as u-muP has its norms. */
  readonly scale?: Tensor
  /** Added to the mean of squares. Default 1e-5. */
  readonly eps?: number
}

const names: OptionTable<UnitRmsNormOptions> = { scale: 'optional', eps: 'optional' }

/**
 * RMS norm along the last axis, whose result has unit scale by itself; the gradient of `scale` is multiplied by 1 / sqrt(rows).
 *
 * Shape, Dtype, Rounding as `kernels.rmsNorm`, whose default `eps` is smaller.
 * Source    arXiv 2407.17465, table 2; the package unit-scaling 0.3.5
 *
 * @example unitRmsNorm(tensor([[3, -3]]), { eps: 0 }).toNested() // [[1, -1]]
 */
export function unitRmsNorm<D extends FloatDType>(
  x: Tensor<D>,
  options: UnitRmsNormOptions = noOptions,
): Tensor<D> {
  checkTensor('unitRmsNorm', x)
  checkOptions('unitRmsNorm', options, names)
  const { scale, eps = 1e-5 } = options
  checkNumber('unitRmsNorm', 'eps', eps)
  if (scale === undefined) return rmsNorm(x, { eps })
  checkTensor('unitRmsNorm', scale)
  const rows = Math.max(1, sizeOf(x.shape.slice(0, -1)))
  return rmsNorm(x, { eps, scale: rescale(scale, { backward: rows ** -0.5 }) })
}
