import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import type { Elementwise } from '../arithmetic/arithmetic.js'
import type { Operand, Scalar } from '../arithmetic/operand.js'
import { elementOf } from '../arithmetic/recorded.js'

/** The loss as MoMo sees it: its mean, the mean of gradient times parameters, the momentum's norm and its product with them. */
interface Model {
  readonly barf: Tensor
  readonly gamma: Tensor
  readonly norm: Tensor
  readonly along: Tensor
}

interface Limits {
  readonly rate: Scalar
  readonly weightDecay: number
  readonly lb: Tensor
  /** What an estimated bound is at least; undefined where the bound stays as it is. */
  readonly lowerBound: number | undefined
  /** Adam's correction of the mean's bias; undefined for none. */
  readonly correction: Tensor | undefined
}

/** Below this squared norm, float64's epsilon, nothing moves. */
const smallestSquare = 2 ** -52

/** The step along the momentum, the bound to go on with, and what parameters are multiplied by for their decay. */
export function modelStep(
  a: Elementwise,
  { barf, gamma, norm, along }: Model,
  { rate, weightDecay, lb, lowerBound, correction }: Limits,
): { readonly tau: Tensor; readonly lb: Tensor; readonly shrink: Scalar } {
  const decay = typeof rate === 'number' ? rate * weightDecay : a.mul(rate, weightDecay)
  const grown = typeof decay === 'number' ? 1 + decay : a.add(1, decay)
  const corrected = (x: Operand): Operand => (correction ? a.mul(x, correction) : x)
  let bound: Operand = lb
  if (lowerBound !== undefined) {
    const cap = a.add(a.mul(grown, a.sub(barf, gamma)), along)
    if (elementOf(cap) < elementOf(a.mul(corrected(grown), lb))) {
      bound = a.maximum(a.div(cap, doubled(a, grown, correction)), lowerBound)
    }
  }
  const gap = a.sub(a.sub(barf, correction ? a.mul(correction, bound) : bound), gamma)
  const reach = a.div(a.maximum(a.add(a.mul(grown, gap), along), 0), norm)
  const still = elementOf(norm) <= smallestSquare
  const largest = correction ? a.div(rate, correction) : rate
  const tau = a.minimum(largest, still ? full([], 0, { dtype: reach.dtype as FloatDType }) : reach)
  const shrink = typeof decay === 'number' ? -decay / (1 + decay) : a.div(a.mul(-1, decay), grown)
  if (lowerBound === undefined) return { tau, lb, shrink }
  const fallen = a.sub(a.sub(a.add(barf, along), gamma), a.mul(a.mul(0.5, tau), norm))
  return { tau, lb: a.maximum(correction ? a.div(fallen, correction) : fallen, lowerBound), shrink }
}

/** Twice the correction times what the decay adds to 1, in this order. */
function doubled(a: Elementwise, grown: Scalar, correction: Tensor | undefined): Operand {
  if (correction) return a.mul(a.mul(2, correction), grown)
  return typeof grown === 'number' ? 2 * grown : a.mul(2, grown)
}
