import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafNorm } from '../arithmetic/leafNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/**
 * Each leaf times the norm of its parameters, at least `minScale`, 1e-3 by default. `update` needs them.
 *
 * @example tree.leavesOf(scaleByParamBlockNorm().update([tensor([1, 2])], {}, [tensor([3, 4])])[0])[0].toNested() // [5, 10]
 */
export function scaleByParamBlockNorm(
  minScale: number = 1e-3,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  checkOptions('scaleByParamBlockNorm', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByParamBlockNorm', 'minScale', minScale, 0)
  return stateless(
    (updates, params) =>
      leafwise('scaleByParamBlockNorm', [updates, needParams('scaleByParamBlockNorm', params)], ([u, p]) => [
        a.mul(u!, a.maximum(leafNorm(a, p!), minScale)),
      ])[0],
  )
}
