import { apply, stopGradientOp, type Tensor } from '../../tensor/index.js'
import { mapTreeWith } from '../../tree/index.js'
import type { Treelike } from '../graph/treelike.js'

/**
 * The same tensors, through which no gradient flows: they count as constants. A recording still sees where they
 * come from.
 *
 * @example grad((x) => mul(x, stopGradient(x)))(tensor(3)).item() // 3
 * @example grad((x) => mul(x, x))(tensor(3)).item() // 6
 */
export function stopGradient<T extends Treelike>(x: T): T {
  const stop = (leaf: Tensor): Tensor => apply(stopGradientOp, [leaf], undefined)
  return mapTreeWith<Tensor, Tensor>({ op: 'stopGradient' }, stop, x as never) as T
}
