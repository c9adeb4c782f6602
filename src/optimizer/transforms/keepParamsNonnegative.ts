import { checkOptions } from '../../base/options/index.js'
import { neg, where } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/**
 * Updates that leave no parameter negative: where the sum with the parameter would be below 0, the update is the parameter with the other
 * sign. The last link of a chain.
 *
 * Special   a NaN stays one. Throws without parameters.
 *
 * @example tree.leavesOf(keepParamsNonnegative().update([tensor([-3, 1])], {}, [tensor([1, 1])])[0])[0].toNested() // [-1, 1]
 */
export function keepParamsNonnegative(options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('keepParamsNonnegative', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return stateless(
    (updates, params) =>
      leafwise('keepParamsNonnegative', [updates, needParams('keepParamsNonnegative', params)], ([u, p]) => {
        return [where(a.less(a.add(p!, u!), 0), neg(p!), u!)]
      })[0],
  )
}
