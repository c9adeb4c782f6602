import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, type FloatDType, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import {
  checkSameTree,
  leavesOf,
  type OfTensors,
  pathsOf,
  replaceLeaves,
  type Treelike,
} from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { promote } from '../arithmetic/operand.js'
import { mixTrees } from './incrementalUpdate.js'

/** How slowly a target follows. */
export interface EmaUpdateOptions extends ArithmeticOption {
  /** The share of the target that is kept. Default: 0.996. */
  readonly tau?: number
}

/** The names of `EmaUpdateOptions`. */
export const emaUpdateNames: OptionTable<EmaUpdateOptions> = {
  tau: 'optional',
  ...arithmeticNames,
}

/**
 * A target network one step closer to the online one: tau target + (1 - tau) online.
 *
 * Dtype     of the target, which may be wider than the online weights. That is the choice to make: a bfloat16 target
 *           is the naive twin, which stalls; a float32 target of bfloat16 weights is the stable one, to be cast where
 *           it is used.
 * Rounding  both products and their sum, each to the target's dtype; the online weights are widened exactly.
 * Special   a bfloat16 target stops for good once a step is under half an ulp of it: with tau 0.996 as soon as
 *           |online - target| is under about 125 ulps (half to all of the target's own size). NaN in either stays.
 * Error     float32, tau from 0.5: within 3 2^-24 / (1 - tau) of the exact mean, relative to the largest of its terms.
 * Throws    TypeError for a target narrower than the online weights; RangeError for a tau that is not from 0 to 1.
 *
 * @example tree.leavesOf(emaUpdate([tensor([1])], [tensor([3])], { tau: 0.5 }))[0].item() // 2
 * const target = [tensor([1], { dtype: 'bfloat16' })]
 * tree.leavesOf(emaUpdate(target, [tensor([1.5], { dtype: 'bfloat16' })]))[0].item() // 1
 */
export function emaUpdate<P extends Treelike>(
  target: P & OfTensors<P>,
  online: Treelike,
  options: EmaUpdateOptions = {},
): P {
  checkOptions('emaUpdate', options, emaUpdateNames, { positional: 'tau' })
  const { tau = 0.996 } = options
  checkScalar('emaUpdate', 'tau', tau, 0, 1)
  checkSameTree('emaUpdate', target, online)
  const beside = leavesOf(online)
  const widened = replaceLeaves(
    target,
    pathsOf(target).map(
      ({ path, leaf }, i): Tensor => cast(beside[i]!, checkWider(path || 'the root', leaf, beside[i]!)),
    ),
  )
  return mixTrees('emaUpdate', arithmeticOf(options.arithmetic), widened, target, 1 - tau)
}

function checkWider(at: string, kept: Tensor, given: Tensor): FloatDType {
  for (const { dtype } of [kept, given]) {
    if (!isFloat(dtype)) {
      throw new TypeError(`emaUpdate: needs a floating-point dtype at ${at}, cast first [${dtype}]`)
    }
  }
  const dtype = kept.dtype as FloatDType
  if (promote(dtype, given.dtype as FloatDType) !== dtype) {
    throw new TypeError(
      `emaUpdate: the target is narrower than the online weights at ${at}, cast one [${dtype}, ${given.dtype}]`,
    )
  }
  return dtype
}
