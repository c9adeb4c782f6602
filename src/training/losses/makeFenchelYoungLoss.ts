import { checkFunction } from '../../base/options/index.js'
import { mul, sub, sum, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike } from './lossOptions.js'

/**
 * A loss from a function of the scores along their last axis, such as `logsumexp`: that function minus the inner product of targets and scores.
 * Its gradient is that of the function minus the targets.
 *
 * Shape     scores and targets [..., n], the loss [...]. Dtype a float, both alike.
 * Rounding  of the function; the products, their sum (in float32, once to the dtype), the difference.
 * Source    Learning with Fenchel-Young losses, arXiv:1901.02324
 *
 * @example const loss = makeFenchelYoungLoss((scores) => max(scores, { axis: -1 }))
 * loss(tensor([[3, 1]]), tensor([[0, 1]])).toNested() // [2]
 */
export function makeFenchelYoungLoss(
  maxFun: (scores: Tensor) => Tensor,
): (scores: Tensor, targets: Tensor) => Tensor {
  checkFunction('makeFenchelYoungLoss', 'maxFun', maxFun)
  return (scores, targets) => {
    checkAlike('makeFenchelYoungLoss', scores, { targets })
    return sub(maxFun(scores), sum(mul(targets, scores), { axis: -1 }))
  }
}
