import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, full, wideDType } from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype } from '../arithmetic/operand.js'
import { elementOf } from '../arithmetic/recorded.js'
import { sumXla } from '../arithmetic/sumXla.js'
import type { EmptyState, GradientTransformation } from '../transformation.js'
import { valueOf } from './valueOf.js'

/** The constants of Polyak's step. */
export interface PolyakOptions extends ArithmeticOption {
  /** The least that the loss can be. Default: 0. */
  readonly fMin?: number
  /** The largest step. Default: 1. */
  readonly maxLearningRate?: number
  /** Added to the squared norm. Default: 0. */
  readonly eps?: number
  /** 'sps+' takes a loss below `fMin` for `fMin`. Default: 'sps'. */
  readonly variant?: 'sps' | 'sps+'
}

/** The names of `PolyakOptions`. */
export const polyakNames: OptionTable<PolyakOptions> = {
  fMin: 'optional',
  maxLearningRate: 'optional',
  eps: 'optional',
  variant: 'optional',
  ...arithmeticNames,
}

/** Below this squared norm, float64's epsilon, nothing moves. */
const smallestSquare = 2 ** -52

/**
 * Updates times (value - fMin) / (|g|^2 + eps), at most `maxLearningRate`. `update` needs `value`, the loss, in its extra
 * arguments; `makeTrainStep` gives it.
 *
 * Rounding  squares, their sums, the gap, the step, each to the dtype of the leaves (the wider one where they differ); then
 *           the product.
 * Source    Stochastic Polyak step-size for SGD, arXiv:2002.10542
 *
 * @example tree.leavesOf(scaleByPolyak().update([tensor([3, 4])], {}, undefined, { value: 5 })[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.60', '0.80']
 */
export function scaleByPolyak(options: PolyakOptions = {}): GradientTransformation<EmptyState> {
  checkOptions('scaleByPolyak', options, polyakNames)
  const { fMin = 0, maxLearningRate = 1, eps = 0, variant = 'sps' } = options
  const a = arithmeticOf(options.arithmetic)
  checkName('scaleByPolyak', 'variant', variant, ['sps', 'sps+'])
  checkScalar('scaleByPolyak', 'fMin', fMin)
  checkScalar('scaleByPolyak', 'maxLearningRate', maxLearningRate, 0)
  checkScalar('scaleByPolyak', 'eps', eps, 0)
  return {
    init: () => ({}),
    update(updates, state, _, extra) {
      const squares = leavesOf(updates).map((g) => sumXla(a.mul(g, g)))
      const dtype = (squares[0]?.dtype ?? 'float32') as FloatDType
      const total = squares.reduce((sum, square) => a.add(sum, square), full([], 0, { dtype }))
      const given = valueOf('scaleByPolyak', extra, wideDType(total.dtype))
      const above = inDtype(a.sub(given, fMin), dtype)
      const gap = variant === 'sps+' ? a.maximum(above, 0) : above
      const divisor = a.add(total, eps)
      const step = elementOf(a.minimum(a.div(gap, divisor), maxLearningRate))
      const still = elementOf(divisor) <= smallestSquare
      const strong = full([], still ? 0 : step, { dtype })
      const [scaled] = leafwise('scaleByPolyak', [updates], ([g]) => [a.mul(strong, g!)])
      return [scaled, state]
    },
  }
}
