import { checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  equal,
  type FloatDType,
  full,
  greater,
  less,
  type Tensor,
  where,
} from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { fullLike, zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** How steps grow and shrink. */
export interface RpropOptions extends ArithmeticOption {
  /** What every step begins with. */
  readonly learningRate: number
  /** A step's factor where the sign of the gradient turned. Default: 0.5. */
  readonly etaMinus?: number
  /** Its factor where the sign stayed. Default: 1.2. */
  readonly etaPlus?: number
  /** Default: 1e-6. */
  readonly minStepSize?: number
  /** Default: 50. */
  readonly maxStepSize?: number
}

/** The names of `RpropOptions`. */
export const rpropNames: OptionTable<RpropOptions> = {
  learningRate: 'required',
  etaMinus: 'optional',
  etaPlus: 'optional',
  minStepSize: 'optional',
  maxStepSize: 'optional',
  ...arithmeticNames,
}

/** The step of every element, and the last signed one, 0 where the sign turned. */
export type RpropState = { readonly stepSizes: Tree; readonly prevUpdates: Tree }

/**
 * Rprop: every element has a step of its own, which grows while its gradient keeps its sign and shrinks when that turns; only
 * the signs of gradients count.
 *
 * Special   the update is the signed step of the step before, 0 where the sign has turned since: optax 0.2.8 has it so, and
 *           the first update is 0.
 * Source    A direct adaptive method for faster backpropagation learning, ICNN 1993, doi:10.1109/ICNN.1993.298623
 */
export function scaleByRprop(options: RpropOptions): GradientTransformation<RpropState> {
  checkOptions('scaleByRprop', options, rpropNames)
  const { learningRate, etaMinus = 0.5, etaPlus = 1.2, minStepSize = 1e-6, maxStepSize = 50 } = options
  const a = arithmeticOf(options.arithmetic)
  for (const [name, value] of Object.entries({ learningRate, etaMinus, etaPlus, minStepSize, maxStepSize })) {
    checkScalar('scaleByRprop', name, value, 0)
  }
  return {
    recordable: true,
    init: (params) => ({ stepSizes: fullLike(params, learningRate), prevUpdates: zerosLike(params) }),
    update(updates, state) {
      const trees = [updates, state.stepSizes, state.prevUpdates] as const
      const [out, stepSizes, prevUpdates] = leafwise('scaleByRprop', trees, ([g, steps, last]) => {
        const turn = a.mul(g!, last!)
        const dtype = steps!.dtype as FloatDType
        const [minus, plus] = [a.weak(etaMinus, dtype), a.weak(etaPlus, dtype)]
        const grown = a.mul(steps!, where(greater(turn, 0), full([], plus, { dtype }), minus))
        const held = a.minimum(a.maximum(grown, minStepSize), maxStepSize)
        // An element whose gradient is or was 0 keeps its step, outside of the limits too.
        const next = where(equal(turn, 0), inDtype(steps!, held.dtype as FloatDType), held)
        const signed = a.mul(next, a.sign(g!))
        const unlessTurned = (x: Tensor): Tensor => where(less(turn, 0), 0, x)
        return [unlessTurned(last!), next, unlessTurned(signed)]
      })
      return [out, { stepSizes, prevUpdates }]
    },
  }
}
