import { checkOptions } from '../../options/index.js'
import { cast, type FloatDType, type Tensor } from '../../tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkNumber } from '../arithmetic/checkScalar.js'
import { isNumber, type Scalar, tensorOf } from '../arithmetic/decoded.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
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
  checkNumber('clipByGlobalNorm', 'maxNorm', maxNorm, 0)
  const limit = isNumber(maxNorm) ? maxNorm : maxNorm.item()
  if (a.name === 'ieee') {
    return stateless(
      (updates) => {
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
    const below = a.flush(norm.item()) < a.flush(a.weak(limit, norm.dtype as FloatDType))
    if (below) return updates
    return leafwise('clipByGlobalNorm', [updates], ([g]) => [
      tensorOf(a.mul(a.divScalar(g!, castLike(norm, g!)), maxNorm)),
    ])[0]
  })
}

function castLike(x: Tensor, like: Tensor): Tensor {
  return cast(x, like.dtype)
}
