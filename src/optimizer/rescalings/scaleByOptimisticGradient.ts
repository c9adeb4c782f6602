import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, Tensor, where } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { GradientTransformation } from '../transformation.js'

/** How far the step looks ahead. */
export interface OptimisticOptions extends ArithmeticOption {
  /** The weight of the gradient. Default: 1. */
  readonly alpha?: number
  /** The weight of its change since the step before. Default: 1. */
  readonly beta?: number
}

/** The names of `OptimisticOptions`. */
export const optimisticNames: OptionTable<OptimisticOptions> = {
  alpha: 'optional',
  beta: 'optional',
  ...arithmeticNames,
}

/** The gradient before, and whether there is none yet. */
export type OptimisticState = { readonly isInitialStep: boolean; readonly previousGradient: Tree }

/**
 * The gradient and its change since the step before: (alpha + beta) g - beta g', where g' is g itself at the first step.
 *
 * Rounding  both products, then the difference; alpha + beta in float64, then as a weak constant.
 * Source    Training GANs with optimism, arXiv:1711.00141
 *
 * @example tree.leavesOf(scaleByOptimisticGradient().update([tensor([3])], { isInitialStep: false, previousGradient: [tensor([1])] })[0])[0].item() // 5
 */
export function scaleByOptimisticGradient(
  options: OptimisticOptions = {},
): GradientTransformation<OptimisticState> {
  const op = 'scaleByOptimisticGradient'
  checkOptions(op, options, optimisticNames)
  const { alpha = 1, beta = 1 } = options
  checkScalar(op, 'alpha', alpha)
  checkScalar(op, 'beta', beta)
  const a = arithmeticOf(options.arithmetic)
  return {
    recordable: true,
    init: (params) => ({ isInitialStep: true, previousGradient: zerosLike(params) }),
    update(updates, { isInitialStep, previousGradient }) {
      // Inside of a program a tensor.
      const isFirst: boolean | Tensor = isInitialStep
      const [ahead, kept] = leafwise(op, [updates, previousGradient], ([g, before]) => {
        const last = gradientBefore(isFirst, g!, before!)
        return [a.sub(a.mul(alpha + beta, g!), a.mul(beta, last)), g!]
      })
      return [ahead, { isInitialStep: false, previousGradient: kept }]
    },
  }
}

function gradientBefore(isFirst: boolean | Tensor, gradient: Tensor, before: Tensor): Tensor {
  if (isFirst instanceof Tensor) return where(isFirst, gradient, cast(before, gradient.dtype))
  return isFirst ? gradient : before
}
