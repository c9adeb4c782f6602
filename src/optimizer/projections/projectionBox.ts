import { checkNumber } from '../../base/options/index.js'
import { maximum, minimum, relu, type Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, leavesOf, mapTree, replaceLeaves, type Treelike } from '../../tensors/tree/index.js'

/** A bound of every element, or a tree of them. */
export type Bound = number | Treelike

/**
 * The nearest tree whose elements lie between two bounds, numbers or trees of the same structure.
 *
 * Rounding  none. Special NaN stays.
 *
 * @example tree.leavesOf(projectionBox([tensor([-3, 0.5, 4])], -1, 2))[0].toNested() // [-1, 0.5, 2]
 */
export function projectionBox<P extends Treelike>(x: P, lower: Bound, upper: Bound): P {
  return clipped('projectionBox', x, lower, upper)
}

/**
 * The nearest tree whose elements lie between 0 and `scale`, 1 by default.
 *
 * @example tree.leavesOf(projectionHypercube([tensor([-3, 0.5, 4])]))[0].toNested() // [0, 0.5, 1]
 */
export function projectionHypercube<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionHypercube', 'scale', scale, 0)
  return clipped('projectionHypercube', x, 0, scale)
}

/**
 * The nearest tree whose elements lie between -scale and `scale`, 1 by default.
 *
 * @example tree.leavesOf(projectionLinfBall([tensor([-3, 0.5, 4])]))[0].toNested() // [-1, 0.5, 1]
 */
export function projectionLinfBall<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionLinfBall', 'scale', scale, 0)
  return clipped('projectionLinfBall', x, -scale, scale)
}

/**
 * The nearest tree without negative elements.
 *
 * @example tree.leavesOf(projectionNonNegative([tensor([-3, 0.5])]))[0].toNested() // [0, 0.5]
 */
export function projectionNonNegative<P extends Treelike>(x: P): P {
  return mapTree((leaf): Tensor => relu(leaf), x)
}

function clipped<P extends Treelike>(op: string, x: P, lower: Bound, upper: Bound): P {
  const leaves = leavesOf(x)
  const sides = [lower, upper].map((bound) => {
    if (typeof bound !== 'number') checkSameTree(op, x, bound)
    return typeof bound === 'number' ? leaves.map(() => bound) : leavesOf(bound)
  })
  return replaceLeaves(
    x,
    leaves.map((leaf, i): Tensor => minimum(maximum(leaf, sides[0]![i]!), sides[1]![i]!)),
  )
}
