import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import type { Elementwise } from '../arithmetic/arithmetic.js'
import { checkDecay } from '../arithmetic/checkScalar.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { lowest } from '../arithmetic/lowest.js'

// What D-Adaptation and Prodigy have in common: Adam's means, and a rate that the distance from the beginning tells.

/** The moments and the weighted sum of gradients, the rate found and its numerator, steps done. Prodigy has one thing more. */
export type DadaptAdamwState = {
  /** Means of gradients and of their squares, and the weighted sum of gradients. */
  readonly expAvg: Tree
  readonly expAvgSq: Tree
  readonly gradSum: Tree
  /** The rate found, and its numerator. */
  readonly estimLr: Tensor
  readonly numeratorWeighted: Tensor
  /** Steps done. */
  readonly count: number
}

/** The state before the first step: nothing seen, the rate to begin with in the narrowest dtype of the parameters. */
export function distanceMoments(a: Elementwise, params: Treelike, estimLr0: number): DadaptAdamwState {
  const dtype: FloatDType = lowest(params)
  return {
    expAvg: zerosLike(params),
    expAvgSq: zerosLike(params),
    gradSum: zerosLike(params),
    estimLr: full([], a.weak(estimLr0, dtype), { dtype }),
    numeratorWeighted: full([], 0, { dtype }),
    count: 0,
  }
}

/** The two decays, checked. */
export function decaysOf(op: string, betas: readonly [number, number]): readonly [number, number] {
  if (!Array.isArray(betas) || betas.length !== 2) {
    throw new RangeError(`${op}: betas are not two numbers [${String(betas)}]`)
  }
  const [beta1, beta2] = betas as readonly [number, number]
  checkDecay(op, 'beta1', beta1)
  checkDecay(op, 'beta2', beta2)
  return [beta1, beta2]
}
