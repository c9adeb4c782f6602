import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { cast, type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { lowest } from '../arithmetic/lowest.js'
import { promote } from '../arithmetic/operand.js'
import { elementOf } from '../arithmetic/recorded.js'
import type { GradientTransformation } from '../transformation.js'
import { valueOf } from './valueOf.js'

/** When a rate falls, and how far. */
export interface ReduceOnPlateauOptions extends ArithmeticOption {
  /** What updates are multiplied by at each fall, between 0 and 1. Default: 0.1. */
  readonly factor?: number
  /** Values in a row without an improvement before a fall. Default: 10. */
  readonly patience?: number
  /** An improvement is below (1 - rtol) best - atol. Default: 1e-4. */
  readonly rtol?: number
  /** Default: 0. */
  readonly atol?: number
  /** Values after a fall that do not count. Default: 0. */
  readonly cooldown?: number
  /** Steps whose mean loss is one value. Default: 1. */
  readonly accumulationSize?: number
  /** The smallest factor of all falls together. Default: 0. */
  readonly minScale?: number
}

const names: OptionTable<ReduceOnPlateauOptions> = {
  factor: 'optional',
  patience: 'optional',
  rtol: 'optional',
  atol: 'optional',
  cooldown: 'optional',
  accumulationSize: 'optional',
  minScale: 'optional',
  ...arithmeticNames,
}

/** The factor now, the best value, values without improvement, values left to cool down, and the mean under way. */
export type ReduceOnPlateauState = {
  readonly scale: Tensor
  readonly bestValue: Tensor
  readonly plateauCount: number
  readonly cooldownCount: number
  readonly count: number
  readonly avgValue: Tensor
}

/**
 * Updates times a factor that falls when the loss no longer does: behind an optimizer, in the place of a schedule. `update`
 * needs `value`, the loss, in its extra arguments; `makeTrainStep` gives it.
 *
 * Dtype     the factor in the narrowest dtype of the parameters, values in the widest, as in optax.
 *
 * @example reduceOnPlateau().init([tensor([1])]).scale.item() // 1
 */
export function reduceOnPlateau(
  options: ReduceOnPlateauOptions = {},
): GradientTransformation<ReduceOnPlateauState> {
  checkOptions('reduceOnPlateau', options, names)
  const { factor = 0.1, patience = 10, rtol = 1e-4, atol = 0, cooldown = 0 } = options
  const { accumulationSize = 1, minScale = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('reduceOnPlateau', 'factor', factor, 0, 1)
  if (factor === 0 || factor === 1) {
    throw new RangeError(`reduceOnPlateau: factor is not between 0 and 1 [${factor}]`)
  }
  checkScalar('reduceOnPlateau', 'rtol', rtol, 0, 1)
  checkScalar('reduceOnPlateau', 'atol', atol, 0)
  if (rtol === 0 && atol === 0) throw new RangeError('reduceOnPlateau: rtol and atol are both 0 [0]')
  checkInteger('reduceOnPlateau', 'patience', patience, 0)
  checkInteger('reduceOnPlateau', 'cooldown', cooldown, 0)
  checkInteger('reduceOnPlateau', 'accumulationSize', accumulationSize, 1)
  checkScalar('reduceOnPlateau', 'minScale', minScale, 0)

  const judged = (state: ReduceOnPlateauState): ReduceOnPlateauState => {
    const { avgValue, bestValue } = state
    const needed = elementOf(a.sub(a.mul(1 - rtol, bestValue), atol))
    const better = avgValue.item() < needed
    const begun = { count: 0, avgValue: full([], 0, { dtype: avgValue.dtype as FloatDType }) }
    const best = { bestValue: better ? cast(avgValue, bestValue.dtype) : bestValue }
    if (state.cooldownCount > 0) {
      return { ...state, ...begun, ...best, plateauCount: 0, cooldownCount: state.cooldownCount - 1 }
    }
    const waited = better ? 0 : state.plateauCount + 1
    const falls = waited === patience
    const scale = a.maximum(falls ? a.mul(state.scale, factor) : state.scale, minScale)
    return {
      ...begun,
      ...best,
      scale,
      plateauCount: falls ? 0 : waited,
      cooldownCount: falls ? cooldown : 0,
    }
  }
  return {
    init(params) {
      const wide = widest(params)
      return {
        scale: full([], 1, { dtype: lowest(params) }),
        bestValue: full([], Number.POSITIVE_INFINITY, { dtype: wide }),
        plateauCount: 0,
        cooldownCount: 0,
        count: 0,
        avgValue: full([], 0, { dtype: wide }),
      }
    },
    update(updates, state, _, extra) {
      const value = valueOf('reduceOnPlateau', extra, state.avgValue.dtype as FloatDType)
      const count = state.count + 1
      const avgValue = a.div(a.add(a.mul(state.count, state.avgValue), value), count)
      const seen = { ...state, count, avgValue }
      const next = count === accumulationSize ? judged(seen) : seen
      const [scaled] = leafwise('reduceOnPlateau', [updates], ([g]) => [a.mul(next.scale, g!)])
      return [scaled, next]
    },
  }
}

function widest(tree: Treelike): FloatDType {
  const [first = 'float32', ...others] = leavesOf(tree).map((leaf) => leaf.dtype as FloatDType)
  return others.reduce(promote, first)
}
