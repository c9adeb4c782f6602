import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { abs, add, type DType, minimum, mul, square, sub, type Tensor } from '../../tensors/tensor/index.js'
import { checkPositive } from './checkPositive.js'
import { type LossOptions, lossNames } from './lossOptions.js'
import { ofErrors } from './squaredError.js'

/** Where the Huber loss turns from a parabola into a line. */
export interface HuberOptions extends LossOptions {
  /** Default: 1. */
  readonly delta?: number
}

const names: OptionTable<HuberOptions> = { delta: 'optional', ...lossNames }

/**
 * q^2 / 2 + delta (|e| - q) with e the error and q = min(|e|, delta): a parabola up to delta, then a line.
 *
 * Shape     that of predictions and targets, which is the same. Dtype a float, both alike.
 * Rounding  the error, |e| - q, q^2, delta times the rest, the sum.
 * Source    Robust estimation of a location parameter, Ann. Math. Statist. 35 (1964), 73-101
 *
 * @example huberLoss(tensor([0, 0.5, 3]), tensor([0, 0, 0])).toNested() // [0,0.125,2.5]
 */
export function huberLoss<D extends DType>(
  predictions: Tensor<D>,
  targets?: Tensor<D>,
  options: HuberOptions = noOptions,
): Tensor<D> {
  checkOptions('huberLoss', options, names, { positional: 'delta' })
  const { delta = 1, internal } = options
  checkPositive('huberLoss', 'delta', delta)
  return ofErrors('huberLoss', predictions, targets, internal, (errors) => {
    const size = abs(errors)
    const quadratic = minimum(size, delta)
    return add(mul(square(quadratic), 0.5), mul(sub(size, quadratic), delta))
  })
}
