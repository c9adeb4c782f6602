import type { GradientRule, GradientRules, RuleContext } from '../../tensors/autodiff/index.js'
import { cast, cumsum, flip, mul, type Op } from '../../tensors/tensor/index.js'
import { narrowedExpOp, type Widened, widenedSumsOp } from './stages.js'

/**
 * The gradients of the two operations that change the dtype on the way, for the option `rules` of autodiff's functions.
 * Needed where sums or exponents are wider than the layer: 'stable-keep', `dtypes`.
 */
export const gradientRules: GradientRules = new Map<Op, GradientRule>([
  [
    widenedSumsOp,
    ({ g, inputs, attributes: { axis, order, dtype } }: RuleContext<Widened>) => {
      const arriving = flip(cast(g, inputs[0]!.dtype), { axis })
      return [flip(cumsum(arriving, { axis, order, accumulate: dtype }), { axis })]
    },
  ],
  [
    narrowedExpOp,
    ({ g, inputs, output }: RuleContext) => {
      const { dtype } = inputs[0]!
      return [mul(cast(g, dtype), cast(output, dtype))]
    },
  ],
])
