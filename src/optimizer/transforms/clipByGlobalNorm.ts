import { checkOptions } from '../../base/options/index.js'
import {
  cast,
  div,
  equal,
  type FloatDType,
  full,
  less,
  logicalOr,
  mul,
  reshape,
  where,
} from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { choose, known } from '../arithmetic/choose.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { isNumber, type Scalar } from '../arithmetic/operand.js'
import { scaledNorm } from '../arithmetic/scaledNorm.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Updates scaled down so that their global norm is `maxNorm`, where it was not below it.
 *
 * Rounding  'ieee': the norm in float64, free of overflow; x (maxNorm / norm) with one rounding to the dtype.
 *           'xla-cpu': the norm rounded to the leaf's dtype, (x / norm) maxNorm, both rounded.
 * Special   one NaN makes every element NaN; one Inf makes itself NaN and the finite ones 0: put `zeroNans` behind. In
 *           'xla-cpu' squares that overflow (|x| > 1.8e19) make every element 0, silently. A `maxNorm`
 *           of 0 multiplies by 0; zeros stay zeros, in 'xla-cpu' they become NaN then, as 0 / 0.
 * Throws    RangeError for a `maxNorm` that is NaN or negative.
 * Error     'ieee', float32: norm <= maxNorm (1 + 2^-23), subnormals aside.
 *
 * @example tree.leavesOf(clipByGlobalNorm(1).update([tensor([3, 4])], {})[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.60', '0.80']
 */
export function clipByGlobalNorm(
  maxNorm: Scalar,
  options: ArithmeticOption = {},
): GradientTransformation<EmptyState> {
  checkOptions('clipByGlobalNorm', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('clipByGlobalNorm', 'maxNorm', maxNorm, 0)
  const exact = a.name === 'ieee'
  return stateless(
    (updates) => (exact ? clipped(updates, maxNorm) : clippedXla(a, updates, maxNorm)),
    exact && isNumber(maxNorm) ? { kind: 'clip', maxNorm } : undefined,
  )
}

/** In float64, one rounding for each element; where it is recorded elements are multiplied by 1 where the norm is below the limit. */
function clipped<P extends Treelike>(updates: P, maxNorm: Scalar): P {
  const { scale, root } = scaledNorm(updates)
  const none = equal(root, 0)
  const one = full([], 1, { dtype: 'float64' })
  const limit = isNumber(maxNorm)
    ? full([], maxNorm, { dtype: 'float64' })
    : reshape(cast(maxNorm, 'float64'), [])
  const kept = known(logicalOr(less(mul(scale, root), limit), none))
  if (kept === true) return updates
  const factor = kept ? where(kept, one, div(limit, where(none, one, root))) : div(limit, root)
  const divisor = kept ? where(kept, one, scale) : scale
  const wide = leavesOf(updates).some(({ dtype }) => dtype === 'float64')
  return leafwise('clipByGlobalNorm', [updates], ([g]) => {
    const x = cast(g!, 'float64')
    return [cast(mul(wide ? div(x, divisor) : x, factor), g!.dtype)]
  })[0]
}

function clippedXla<P extends Treelike>(a: Elementwise, updates: P, maxNorm: Scalar): P {
  const norm = globalNorm(updates, { arithmetic: a.name })
  const dtype = norm.dtype as FloatDType
  const limit = isNumber(maxNorm) ? full([], a.weak(maxNorm, dtype), { dtype }) : cast(maxNorm, dtype)
  const kept = known(a.less(norm, limit))
  return leafwise('clipByGlobalNorm', [updates], ([g]) =>
    choose(
      kept,
      () => [g!],
      () => [a.mul(a.divScalar(g!, cast(norm, g!.dtype)), maxNorm)],
    ),
  )[0]
}
