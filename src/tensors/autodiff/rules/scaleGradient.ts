import { checkNumber } from '../../../base/options/index.js'
import { apply, mul, scaleGradientOp, type Tensor } from '../../tensor/index.js'
import { mapTreeWith } from '../../tree/index.js'
import type { Treelike } from '../graph/treelike.js'
import type { GradientRule } from './gradientRule.js'
import { stopGradient } from './stopGradient.js'

/**
 * The same tensors, whose gradients are multiplied by a number on the way back: by -1 for an adversary, by less than 1 for a branch that is
 * to learn slowly. With 0 it is `stopGradient`.
 *
 * Rounding  the product, once to the dtype. Tangents are multiplied too.
 *
 * @example grad((x) => sum(scaleGradient(x, -0.5)))(tensor([1, 2])).toNested() // [-0.5, -0.5]
 */
export function scaleGradient<T extends Treelike>(x: T, scale: number): T {
  checkNumber('scaleGradient', 'scale', scale)
  if (scale === 1) return x
  if (scale === 0) return stopGradient(x)
  const pass = (leaf: Tensor): Tensor => apply(scaleGradientOp, [leaf], { scale })
  return mapTreeWith<Tensor, Tensor>({ op: 'scaleGradient' }, pass, x as never) as T
}

/** The gradient times the number. */
export const scaleGradientRule: GradientRule<{ readonly scale: number }> = ({ g, attributes: { scale } }) => [
  mul(g, scale),
]
