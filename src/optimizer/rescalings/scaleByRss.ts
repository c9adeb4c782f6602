import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { fullLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** The constants of Adagrad. */
export interface ScaleByRssOptions extends ArithmeticOption {
  /** What the sum of squares starts at. Default: 0.1. */
  readonly initialAccumulatorValue?: number
  /** Default: 1e-7. */
  readonly eps?: Scalar
}

/** The names of `ScaleByRssOptions`. */
export const scaleByRssNames: OptionTable<ScaleByRssOptions> = {
  initialAccumulatorValue: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/** The sum of squared gradients. */
export type RssState = { readonly sumOfSquares: Tree }

/**
 * Updates by the root of the sum of all squares so far: s' = g^2 + s, u = g / sqrt(s' + eps), 0 where s' is 0.
 *
 * Special   in bfloat16 s stalls once g^2 is under half an ulp of it.
 */
export function scaleByRss(options: ScaleByRssOptions = {}): GradientTransformation<RssState> {
  checkOptions('scaleByRss', options, scaleByRssNames)
  const { initialAccumulatorValue = 0.1, eps = 1e-7 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByRss', 'initialAccumulatorValue', initialAccumulatorValue, 0)
  checkScalar('scaleByRss', 'eps', eps, 0)
  return {
    recordable: true,
    init: (params) => ({ sumOfSquares: fullLike(params, initialAccumulatorValue) }),
    update(updates, state) {
      const [scaled, sumOfSquares] = leafwise('scaleByRss', [updates, state.sumOfSquares], ([g, s]) => {
        const total = a.add(a.mul(g!, g!), s!)
        const inverse = a.whereAbove(a.rsqrt(a.add(total, eps)), total)
        return [a.mul(inverse, g!), total]
      })
      return [scaled, { sumOfSquares }]
    },
  }
}
