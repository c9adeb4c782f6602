import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, equal, logicalOr, type Tensor } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { choose, known } from '../arithmetic/choose.js'
import { leafNorm } from '../arithmetic/leafNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/** How leaves are rescaled by their norms. */
export interface TrustRatioOptions extends ArithmeticOption {
  /** The smallest norm that parameters and updates count as. Default: 0. */
  readonly minNorm?: number
  /** Default: 1. */
  readonly trustCoefficient?: Scalar
  /** Added to the norm of the update. Default: 0. */
  readonly eps?: Scalar
}

/** The names of `TrustRatioOptions`. */
export const trustRatioNames: OptionTable<TrustRatioOptions> = {
  minNorm: 'optional',
  trustCoefficient: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/**
 * Each leaf's update times trustCoefficient |p| / (|u| + eps), both norms at least `minNorm`; times 1 where either is 0.
 * `update` needs the parameters.
 *
 * @example tree.leavesOf(scaleByTrustRatio().update([tensor([3, 4])], {}, [tensor([0, 10])])[0])[0].toNested() // [6, 8]
 */
export function scaleByTrustRatio(options: TrustRatioOptions = {}): GradientTransformation<EmptyState> {
  checkOptions('scaleByTrustRatio', options, trustRatioNames)
  const { minNorm = 0, trustCoefficient = 1, eps = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByTrustRatio', 'trustCoefficient', trustCoefficient)
  checkScalar('scaleByTrustRatio', 'eps', eps, 0)
  checkScalar('scaleByTrustRatio', 'minNorm', minNorm, 0)
  return stateless(
    (updates, params) =>
      leafwise('scaleByTrustRatio', [updates, needParams('scaleByTrustRatio', params)], ([u, p]) => {
        const [size, step] = [p!, u!].map((x) => a.maximum(leafNorm(a, x), minNorm)) as [Tensor, Tensor]
        const scaled = a.mul(u!, a.div(a.mul(trustCoefficient, size), a.add(step, eps)))
        const none = known(logicalOr(equal(size, 0), equal(step, 0)))
        return choose(
          none,
          () => [typeof none === 'boolean' ? u! : cast(u!, scaled.dtype)],
          () => [scaled],
        )
      })[0],
  )
}
