import {
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  checkTensor,
  concat,
  type FloatDType,
  isFloat,
  mul,
  slice,
  type Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'
import { type NcaPadding, paddings, surrounded } from './neighbours.js'
import { defaultKernels, type KernelName, type PerceptionKernel, tapsOf } from './perceptionKernels.js'

/** What a cell sees, and how it is computed. */
export interface PerceptionOptions {
  /** Axes of cells: 1 for a line, 2 for a plane. Default 2. */
  readonly dimensions?: 1 | 2
  /**
   * Names of `perceptionKernels`, or weights. Default identity, sobelX, sobelY; along a line identity, gradient, laplacian.
   */
  readonly kernels?: readonly (KernelName | PerceptionKernel)[]
  /** Padding beyond the ends: zeros, or the other end. Default 'zero'. */
  readonly padding?: NcaPadding
  /** What is perceived and computed with is rounded to it. Default that of the state. */
  readonly dtype?: FloatDType
}

/** The names of `PerceptionOptions`. */
export const perceptionNames: OptionTable<PerceptionOptions> = {
  dimensions: 'optional',
  kernels: 'optional',
  padding: 'optional',
  dtype: 'optional',
}

/** `PerceptionOptions` with all options filled in. */
export type CheckedPerception = Required<PerceptionOptions>

/** The options with all options filled in, checked for a state. */
export function checkedPerception(
  op: string,
  x: Tensor,
  { dimensions = 2, kernels, padding = 'zero', dtype }: PerceptionOptions,
): CheckedPerception {
  checkState(op, x)
  checkInteger(op, 'dimensions', dimensions, 1, 2)
  checkName(op, 'padding', padding, paddings)
  if (x.rank < dimensions + 1) {
    const axes =
      dimensions === 1 ? 'one axis of cells' : 'two axes of cells, write { dimensions: 1 } for a line,'
    throw new RangeError(`${op}: x has not ${axes} and one of channels [${x.shape.join(', ')}]`)
  }
  const compute = dtype ?? x.dtype
  checkFloatDType(op, 'dtype', compute)
  return { dimensions, kernels: kernels ?? defaultKernels(dimensions), padding, dtype: compute }
}

/** Throws unless x is a tensor of floats. */
export function checkState(op: string, x: Tensor): void {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
}

/**
 * What every cell sees: each channel by each kernel, all channels of the first kernel before those of the second.
 *
 * Shape     [..., cells, channels] to [..., cells, kernels * channels]; two axes of cells, or one.
 * Dtype     the result has `dtype`.
 * Rounding  x to `dtype`; of each kernel the products and sums of float32 (float64 where that is `dtype`), neighbour by
 *           neighbour row-major, weights of 0 left out; the sum once to `dtype`.
 * Special   a neighbour with weight 0 is not read, so its NaN is not seen; a sum of -0 alone is +0.
 * Throws    TypeError for a state that is not of floats; RangeError for too few axes, other kernels or padding.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example perceive(tensor([[1], [2], [4]]), { dimensions: 1 }).toNested() // [[1,1,0],[2,1.5,1],[4,-1,-6]]
 */
export function perceive(x: Tensor, options: PerceptionOptions = noOptions): Tensor {
  checkOptions('perceive', options, perceptionNames, { positional: 'dimensions' })
  return perceived(x, checkedPerception('perceive', x, options))
}

/** `perceive` with options that were checked. */
export function perceived(x: Tensor, { dimensions, kernels, padding, dtype }: CheckedPerception): Tensor {
  const sums = wideDType(dtype)
  const around = surrounded(cast(cast(x, dtype), sums), dimensions, padding, 0)
  const first = x.rank - 1 - dimensions
  const before = new Array<null>(first).fill(null)
  // A neighbour is cut out once for all kernels, so that a gradient puts it back once.
  const cut = new Map<string, Tensor>()
  const neighbour = (offset: readonly number[]): Tensor => {
    const name = offset.join()
    const known = cut.get(name)
    if (known) return known
    const ranges = offset.map((from, i): [number, number] => [from, from + x.shape[first + i]!])
    const part = slice(around, [...before, ...ranges])
    cut.set(name, part)
    return part
  }
  const each = tapsOf('perceive', kernels, dimensions).map((taps) => {
    let total: Tensor | undefined
    for (const { offset, weight } of taps) {
      const part = neighbour(offset)
      const product = weight === 1 ? part : mul(part, weight)
      total = total ? add(total, product) : add(product, 0)
    }
    return cast(total!, dtype)
  })
  return each.length === 1 ? each[0]! : concat(each, { axis: -1 })
}
