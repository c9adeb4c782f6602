import { reshape, type Shape, split, stack, type Tensor, transpose } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { prefixLeaves } from './prefixLeaves.js'

/** Which axes of a parameter are the inputs and the outputs of a matrix; all others number matrices. */
export interface MuonDimensionNumbers {
  /** The axes of the inputs, which a product sums over. */
  readonly reductionAxis: number | readonly number[]
  /** The axes of the outputs. */
  readonly outputAxis: number | readonly number[]
}

/**
 * The axes of every parameter, null where there is no matrix in it: a tree, a prefix of one, or a function of the parameters.
 */
export type WeightDimensionNumbers =
  | Treelike<MuonDimensionNumbers | null>
  | {
      /** The axes of these parameters. */
      of(tree: Treelike): Treelike<MuonDimensionNumbers | null>
    }['of']

/** The axes of every leaf, in the order of `leavesOf`. */
export function dimensionsOf(
  op: string,
  given: WeightDimensionNumbers,
  tree: Treelike,
): (MuonDimensionNumbers | null)[] {
  return prefixLeaves(op, typeof given === 'function' ? given(tree) : given, tree, isDimensions)
}

/** A leaf's axes by their role: batch, inputs, outputs. */
interface Axes {
  readonly batch: readonly number[]
  readonly inputs: readonly number[]
  readonly outputs: readonly number[]
}

/** `f` of every matrix in a leaf; without dimension numbers the leaf is one. */
export function overMatrices(
  op: string,
  x: Tensor,
  dimensions: MuonDimensionNumbers | null | undefined,
  f: (matrix: Tensor) => Tensor,
): Tensor {
  const { batch, inputs, outputs } = axesOf(op, x, dimensions)
  if (x.rank === 2 && inputs[0] === 0 && outputs[0] === 1) return f(x)
  if (x.size === 0) return x
  const order = [...batch, ...inputs, ...outputs]
  const turned = transpose(x, order)
  const [count, rows, columns] = [batch, inputs, outputs].map((axes) => lengthOf(x.shape, axes)) as [
    number,
    number,
    number,
  ]
  const matrices = split(reshape(turned, [count, rows, columns]), count)
  const done = stack(matrices.map((matrix): Tensor => f(reshape(matrix, [rows, columns]))))
  const back = order.map((_, axis) => order.indexOf(axis))
  return transpose(reshape(done, turned.shape), back)
}

/** The lengths of a leaf's inputs and outputs. */
export function fansOf(
  op: string,
  x: Tensor,
  dimensions: MuonDimensionNumbers | null | undefined,
): readonly [fanIn: number, fanOut: number] {
  const { inputs, outputs } = axesOf(op, x, dimensions)
  return [lengthOf(x.shape, inputs), lengthOf(x.shape, outputs)]
}

function axesOf(op: string, x: Tensor, dimensions: MuonDimensionNumbers | null | undefined): Axes {
  if (!dimensions) {
    if (x.rank !== 2) throw new RangeError(`${op}: a leaf is no matrix, mask it [${x.shape.join(', ')}]`)
    return { batch: [], inputs: [0], outputs: [1] }
  }
  const listOf = (axes: number | readonly number[]): number[] =>
    (typeof axes === 'number' ? [axes] : [...axes]).map((axis) => {
      if (!Number.isInteger(axis) || axis < -x.rank || axis >= x.rank) {
        throw new RangeError(`${op}: a leaf has no such axis [${String(axis)} of ${x.shape.join(', ')}]`)
      }
      return axis < 0 ? axis + x.rank : axis
    })
  const [inputs, outputs] = [listOf(dimensions.reductionAxis), listOf(dimensions.outputAxis)]
  const used = [...inputs, ...outputs]
  if (new Set(used).size !== used.length) {
    throw new RangeError(
      `${op}: an axis is named twice [${inputs.join(', ')} and ${outputs.join(', ')} of ${x.shape.join(', ')}]`,
    )
  }
  return { batch: x.shape.map((_, axis) => axis).filter((axis) => !used.includes(axis)), inputs, outputs }
}

function lengthOf(shape: Shape, axes: readonly number[]): number {
  return axes.reduce((length, axis) => length * shape[axis]!, 1)
}

function isDimensions(value: unknown): value is MuonDimensionNumbers | null {
  if (value === null) return true
  return typeof value === 'object' && 'reductionAxis' in value && 'outputAxis' in value
}
