import { concat, full, slice, type Tensor } from '../../tensors/tensor/index.js'

/** Padding beyond the first and last cell: zeros, or the other end. */
export type NcaPadding = 'zero' | 'wrap'

/** The names of the paddings. */
export const paddings: readonly NcaPadding[] = ['zero', 'wrap']

/** x [..., cells, channels] with one more cell before and after along each axis of cells: `beyond`, or from the other end. */
export function surrounded(x: Tensor, dimensions: 1 | 2, padding: NcaPadding, beyond: number): Tensor {
  const first = x.rank - 1 - dimensions
  let result = x
  for (let axis = first; axis < first + dimensions; axis++) {
    const length = result.shape[axis]!
    const shape = [...result.shape]
    shape[axis] = 1
    const [before, after] =
      padding === 'wrap'
        ? [along(result, axis, length - 1, length), along(result, axis, 0, 1)]
        : [full(shape, beyond, { dtype: x.dtype }), full(shape, beyond, { dtype: x.dtype })]
    result = concat([before, result, after], { axis })
  }
  return result
}

/** x from `from` to before `to` along an axis. */
export function along(x: Tensor, axis: number, from: number, to: number): Tensor {
  return slice(x, [...new Array<null>(axis).fill(null), [from, to]])
}
