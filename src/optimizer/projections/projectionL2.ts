import { checkNumber } from '../../base/options/index.js'
import { type FloatDType, mul } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { arithmeticOf } from '../arithmetic/arithmetic.js'
import { innerProduct } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype } from '../arithmetic/operand.js'
import { scaledNorm } from '../arithmetic/scaledNorm.js'

/**
 * The nearest tree whose norm, over all leaves, is `scale`, 1 by default.
 *
 * Dtype     of each leaf, floats. Rounding the norm and the factor in float64, each product once. Special zeros give NaN.
 *
 * @example tree.leavesOf(projectionL2Sphere([tensor([6, 8])], 5))[0].toNested() // [3, 4]
 */
export function projectionL2Sphere<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionL2Sphere', 'scale', scale, 0)
  return times('projectionL2Sphere', x, scale / normOf(x))
}

/**
 * The nearest tree whose norm, over all leaves, is at most `scale`, 1 by default.
 *
 * Dtype, Rounding as `projectionL2Sphere`; a tree inside is itself.
 *
 * @example tree.leavesOf(projectionL2Ball([tensor([6, 8])], 5))[0].toNested() // [3, 4]
 */
export function projectionL2Ball<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionL2Ball', 'scale', scale, 0)
  const norm = normOf(x)
  return norm <= scale ? x : times('projectionL2Ball', x, scale / norm)
}

/**
 * The nearest tree on the line through a and zero.
 *
 * Dtype, Rounding as `projectionL2Sphere`. Special a of zeros gives NaN.
 *
 * @example tree.leavesOf(projectionVector([tensor([3, 1])], [tensor([1, 1])]))[0].toNested() // [2, 2]
 */
export function projectionVector<P extends Treelike>(x: P, a: P): P {
  const share = productOf('projectionVector', x, a) / productOf('projectionVector', a, a)
  return times('projectionVector', a, share)
}

/**
 * The nearest tree whose inner product with a is b.
 *
 * Dtype     of each leaf, floats. Rounding inner products and the factor in float64; each multiple of a and each sum once.
 *
 * @example tree.leavesOf(projectionHyperplane([tensor([3, 1])], [tensor([1, 1])], 2))[0].toNested() // [2, 0]
 */
export function projectionHyperplane<P extends Treelike>(x: P, a: P, b: number): P {
  checkNumber('projectionHyperplane', 'b', b)
  return along('projectionHyperplane', x, a, b, (factor) => factor)
}

/**
 * The nearest tree whose inner product with a is at most b.
 *
 * Dtype, Rounding as `projectionHyperplane`; a tree inside is moved by 0.
 *
 * @example tree.leavesOf(projectionHalfspace([tensor([3, 1])], [tensor([1, 1])], 2))[0].toNested() // [2, 0]
 */
export function projectionHalfspace<P extends Treelike>(x: P, a: P, b: number): P {
  checkNumber('projectionHalfspace', 'b', b)
  return along('projectionHalfspace', x, a, b, (factor) => Math.min(factor, 0))
}

function along<P extends Treelike>(op: string, x: P, a: P, b: number, choose: (factor: number) => number): P {
  const factor = choose((b - productOf(op, x, a)) / productOf(op, a, a))
  const ieee = arithmeticOf('ieee')
  return leafwise(op, [x, a], ([v, w]) => [
    ieee.add(v!, inDtype(mul(inDtype(w!, 'float64'), factor), v!.dtype as FloatDType)),
  ])[0]
}

function times<P extends Treelike>(op: string, x: P, factor: number): P {
  return leafwise(op, [x], ([v]) => [inDtype(mul(inDtype(v!, 'float64'), factor), v!.dtype as FloatDType)])[0]
}

/** In float64, as all that is one number here. */
function productOf(op: string, x: Treelike, y: Treelike): number {
  const wide = (tree: Treelike): Treelike => leafwise(op, [tree], ([leaf]) => [inDtype(leaf!, 'float64')])[0]
  leafwise(op, [x, y], ([leaf]) => [leaf!])
  return leavesOf(x).length === 0 ? 0 : innerProduct(arithmeticOf('ieee'), wide(x), wide(y)).item()
}

function normOf(x: Treelike): number {
  const { scale, root } = scaledNorm(x)
  return mul(scale, root).item()
}
