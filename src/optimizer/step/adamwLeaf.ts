import type { FloatDType, Tensor } from '../../tensor/index.js'
import type { Elementwise } from '../arithmetic/arithmetic.js'
import { type Scalar, tensorsInto } from '../arithmetic/decoded.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { AdamFusion } from '../rescalings/scaleByAdam.js'

/** A leaf of an AdamW step, all of one dtype. */
export interface AdamwTensors {
  readonly grads: Tensor
  readonly params: Tensor
  readonly mu: Tensor
  readonly nu: Tensor
}

/** What a step of a leaf is told besides its own tensors. */
export interface AdamwStepping {
  readonly adam: AdamFusion
  /** The number of this step, from 1. */
  readonly t: number
  /** How many leaves the tree has. */
  readonly leafCount: number
  readonly decay: number | undefined
  /** Minus the learning rate. */
  readonly rate: Scalar
  /** Whether the results may lie where the operands do. */
  readonly donate: boolean
}

/**
 * A whole AdamW step of one leaf in any dtype, computed together: scaleByAdam, addDecayedWeights, scale and applyUpdates, whose
 * every rounding is repeated here. float32 has `adamwKernel`.
 */
export function adamwLeaf(
  a: Elementwise,
  { grads: g, params: p, mu: m, nu: v }: AdamwTensors,
  { adam, t, leafCount, decay, rate, donate }: AdamwStepping,
): [params: Tensor, mu: Tensor, nu: Tensor] {
  const { b1, b2, eps, epsRoot } = adam
  const dtype = p.dtype as FloatDType
  const mean = updateMoment(a, b1, g, m)
  const square = updateSecondMoment(a, b2, g, v)
  const root = a.sqrt(a.add(biasCorrection(a, b2, t, square, leafCount), epsRoot))
  const scaled = a.div(biasCorrection(a, b1, t, mean, leafCount), a.add(root, eps))
  const decayed = decay === undefined ? scaled : a.add(scaled, a.mul(decay, p))
  const next = a.add(p, a.mul(rate, decayed))
  const storage = donate ? [p.data, m.data, v.data] : []
  return tensorsInto(storage, [next, dtype], [mean, dtype], [square, dtype]) as [Tensor, Tensor, Tensor]
}
