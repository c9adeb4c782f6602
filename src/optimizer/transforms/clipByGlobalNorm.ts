import { checkOptions } from '../../options/index.js'
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
  type Tensor,
  where,
} from '../../tensor/index.js'
import { leavesOf, mapTree, type Treelike } from '../../tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { isNumber, type Scalar, tensorOf } from '../arithmetic/decoded.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { areRecorded } from '../arithmetic/recorded.js'
import { recordedNorm, scaledNorm } from '../arithmetic/scaledNorm.js'
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
  if (a.name === 'ieee') {
    return stateless(
      (updates) => {
        if (areRecorded(maxNorm, ...leavesOf(updates))) return recordedClip(updates, maxNorm)
        const limit = numberOf(maxNorm)
        const { scale, root } = scaledNorm(updates)
        if (scale * root < limit || root === 0) return updates
        return leafwise('clipByGlobalNorm', [updates], ([g]) => [
          tensorOf(
            scale === 1 ? a.scaled(g!, limit / root) : a.map((x) => (x / scale) * (limit / root), g!, 0),
          ),
        ])[0]
      },
      isNumber(maxNorm) ? { kind: 'clip', maxNorm } : undefined,
    )
  }
  return stateless((updates) => {
    const norm = globalNorm(updates, options)
    if (areRecorded(maxNorm, norm)) return recordedXlaClip(a, updates, norm, maxNorm)
    const limit = numberOf(maxNorm)
    const below = a.flush(norm.item()) < a.flush(a.weak(limit, norm.dtype as FloatDType))
    if (below) return updates
    return leafwise('clipByGlobalNorm', [updates], ([g]) => [
      tensorOf(a.mul(a.divScalar(g!, castLike(norm, g!)), maxNorm)),
    ])[0]
  })
}

function numberOf(x: Scalar): number {
  return isNumber(x) ? x : x.item()
}

/** The same in tensor operations, which multiply by 1 where the norm is below the limit. */
function recordedClip<P extends Treelike>(updates: P, maxNorm: Scalar): P {
  const { scale, root } = recordedNorm(updates)
  const none = equal(root, 0)
  const one = full([], 1, { dtype: 'float64' })
  const limit = isNumber(maxNorm)
    ? full([], maxNorm, { dtype: 'float64' })
    : reshape(cast(maxNorm, 'float64'), [])
  const kept = logicalOr(less(mul(scale, root), limit), none)
  const factor = where(kept, one, div(limit, where(none, one, root)))
  const divisor = where(kept, one, scale)
  const wide = leavesOf(updates).some(({ dtype }) => dtype === 'float64')
  return mapTree((g): Tensor => {
    const x = cast(g, 'float64')
    return cast(mul(wide ? div(x, divisor) : x, factor), g.dtype)
  }, updates)
}

function recordedXlaClip<P extends Treelike>(a: Elementwise, updates: P, norm: Tensor, maxNorm: Scalar): P {
  const dtype = norm.dtype as FloatDType
  const limit = isNumber(maxNorm) ? full([], a.weak(maxNorm, dtype), { dtype }) : cast(maxNorm, dtype)
  // Times 1 is what makes zeros of subnormal numbers.
  const below = less(tensorOf(a.mul(norm, 1)), tensorOf(a.mul(limit, 1)))
  return mapTree(
    (g): Tensor => where(below, g, tensorOf(a.mul(a.divScalar(g, castLike(norm, g)), maxNorm))),
    updates,
  )
}

function castLike(x: Tensor, like: Tensor): Tensor {
  return cast(x, like.dtype)
}
