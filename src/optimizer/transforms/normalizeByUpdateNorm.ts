import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/** How updates are normalized. */
export interface NormalizeByUpdateNormOptions extends ArithmeticOption {
  /** The norm that updates get. Default: 1. */
  readonly scaleFactor?: number
  /** Added to their norm. Default: 1e-6. */
  readonly eps?: number
}

const names: OptionTable<NormalizeByUpdateNormOptions> = {
  scaleFactor: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/**
 * Updates divided by (globalNorm + eps) / scaleFactor.
 *
 * Rounding  norm, sum and quotient to the dtype of the leaves, then each element's quotient.
 *
 * @example tree.leavesOf(normalizeByUpdateNorm({ eps: 0 }).update([tensor([3, 4])], {})[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.60', '0.80']
 */
export function normalizeByUpdateNorm(
  options: NormalizeByUpdateNormOptions = {},
): GradientTransformation<EmptyState> {
  checkOptions('normalizeByUpdateNorm', options, names)
  const { scaleFactor = 1, eps = 1e-6 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('normalizeByUpdateNorm', 'scaleFactor', scaleFactor)
  checkScalar('normalizeByUpdateNorm', 'eps', eps, 0)
  return stateless((updates) => {
    const norm = globalNorm(updates, chosen(options, arithmeticNames))
    const divisor = a.div(a.add(norm, eps), scaleFactor)
    return leafwise('normalizeByUpdateNorm', [updates], ([g]) => [a.divScalar(g!, divisor)])[0]
  })
}
