import { checkOptions } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafRms } from '../arithmetic/leafRms.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/**
 * Each leaf times the root mean square of its parameters, at least `minScale`, 1e-3 by default. `update` needs them.
 *
 * @example tree.leavesOf(scaleByParamBlockRms().update([tensor([1])], {}, [tensor([3])])[0])[0].item() // 3
 */
export function scaleByParamBlockRms(
  minScale: number = 1e-3,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  checkOptions('scaleByParamBlockRms', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByParamBlockRms', 'minScale', minScale, 0)
  return stateless(
    (updates, params) =>
      leafwise('scaleByParamBlockRms', [updates, needParams('scaleByParamBlockRms', params)], ([u, p]) => [
        a.mul(u!, a.maximum(leafRms(a, p!), minScale)),
      ])[0],
  )
}
