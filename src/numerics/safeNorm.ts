import { checkNumber, checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import { type DType, lessEqual, mean, sqrt, square, type Tensor, where } from '../tensors/tensor/index.js'
import { type NormOfOptions, norm } from './norm.js'

const names: OptionTable<NormOfOptions> = {
  ...{ ord: 'optional', axis: 'optional', keepDims: 'optional' },
  ...{ internal: 'optional', order: 'optional', accumulate: 'optional' },
}

/**
 * The norm of the elements along axes, at least `minNorm`, with a gradient of 0 where it is that: the gradient of `norm` at zeros is NaN.
 *
 * Shape, Dtype, Rounding as `norm`. Special NaN gives NaN.
 *
 * @example safeNorm(tensor([3, 4]), 1e-3).item() // 5
 * @example autodiff.grad((x) => safeNorm(x, 1))(tensor([0, 0])).toNested() // [0, 0]
 */
export function safeNorm<D extends DType>(
  x: Tensor<D>,
  minNorm: number,
  options: NormOfOptions = noOptions,
): Tensor<D> {
  checkOptions('safeNorm', options, names)
  checkNumber('safeNorm', 'minNorm', minNorm, 0)
  const wide = norm(x, { ...options, keepDims: true })
  const apart = where(lessEqual(wide, minNorm), 1, x) as Tensor<D>
  const found = options.keepDims ? wide : norm(x, options)
  return where(lessEqual(found, minNorm), minNorm, norm(apart, options)) as Tensor<D>
}

/**
 * The root of the mean of all squares, at least `minRms`, with a gradient of 0 where it is that.
 *
 * Dtype     that of x, a float. Rounding squares, their mean, the root. Special NaN gives NaN, and so do no elements.
 *
 * @example safeRootMeanSquares(tensor([3, 3, -3]), 1e-3).item() // 3
 * @example autodiff.grad((x) => safeRootMeanSquares(x, 1))(tensor([0, 0])).toNested() // [0, 0]
 */
export function safeRootMeanSquares<D extends DType>(x: Tensor<D>, minRms: number): Tensor<D> {
  checkNumber('safeRootMeanSquares', 'minRms', minRms, 0)
  const rootOf = (v: Tensor): Tensor => sqrt(mean(square(v)))
  const low = lessEqual(rootOf(x), minRms)
  return where(low, minRms, rootOf(where(low, 1, x))) as Tensor<D>
}
