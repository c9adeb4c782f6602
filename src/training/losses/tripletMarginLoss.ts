import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { add, maximum, pow, sqrt, square, sub, sum, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike, inside, type LossOptions, lossNames } from './lossOptions.js'

/** How distances are taken. */
export interface TripletOptions extends LossOptions {
  /** The axis of a vector. Default: the last. */
  readonly axis?: number
  /** Differences to this power are added, even numbers: optax takes no magnitudes. Default: 2. */
  readonly normDegree?: number
  /** How much nearer the positive one is to be. Default: 1. */
  readonly margin?: number
  /** Added below the root. Default: 1e-6. */
  readonly eps?: number
}

const names: OptionTable<TripletOptions> = {
  ...{ axis: 'optional', normDegree: 'optional', margin: 'optional', eps: 'optional' },
  ...lossNames,
}

/**
 * How much further an anchor is from the positive vector than from the negative one, plus a margin, at least 0.
 *
 * Shape     of all three without the axis. Dtype a float, all alike.
 * Rounding  every operation; the sum in float32, once to the dtype. Special NaN gives NaN.
 * Source    FaceNet, arXiv:1503.03832
 *
 * @example tripletMarginLoss(tensor([[0, 0]]), tensor([[3, 4]]), tensor([[0, 5]])).toNested() // [1]
 */
export function tripletMarginLoss(
  anchors: Tensor,
  positives: Tensor,
  negatives: Tensor,
  options: TripletOptions = noOptions,
): Tensor {
  checkOptions('tripletMarginLoss', options, names)
  const { axis = -1, normDegree = 2, margin = 1, eps = 1e-6, internal } = options
  checkInteger('tripletMarginLoss', 'normDegree', normDegree, 1)
  checkNumber('tripletMarginLoss', 'margin', margin)
  checkNumber('tripletMarginLoss', 'eps', eps, 0)
  checkAlike('tripletMarginLoss', anchors, { positives, negatives })
  const distance = (a: Tensor, b: Tensor): Tensor => {
    const away = sub(a, b)
    const total = add(sum(normDegree === 2 ? square(away) : pow(away, normDegree), { axis }), eps)
    return normDegree === 2 ? sqrt(total) : pow(total, 1 / normDegree)
  }
  return inside('tripletMarginLoss', [anchors, positives, negatives], internal, (a, p, n) =>
    maximum(add(sub(distance(a!, p!), distance(a!, n!)), margin), 0),
  )
}
