import { concat, isSealed, slice, stack, type Tensor, zeros } from '../../../tensors/tensor/index.js'
import { fields, integers } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'
import { contracted, type DotDimensions, dotSemantics, product } from './dot.js'

/** A part of a tensor along one axis. */
function range(x: Tensor, axis: number, from: number, to: number): Tensor {
  return slice(x, [...x.shape.slice(0, axis).map(() => null), [from, to]])
}

/**
 * `chlo.ragged_dot`: rows of the left operand in groups of given sizes, each group times the matrix that belongs to it; rows behind the
 * last group give zeros. Where the axis that is added over is the ragged one, each group is a product of its own.
 */
export const raggedDot: Lowering = (op, context) => {
  const entries = fields(op, 'ragged_dot_dimension_numbers')
  const list = (name: string): readonly number[] => integers(op, name, [], entries)
  const [ragged] = list('lhs_ragged_dimensions')
  const [group] = list('rhs_group_dimensions')
  const dims: DotDimensions = {
    leftBatch: list('lhs_batching_dimensions'),
    rightBatch: list('rhs_batching_dimensions'),
    left: list('lhs_contracting_dimensions'),
    right: list('rhs_contracting_dimensions'),
  }
  if (ragged === undefined || dims.leftBatch.includes(ragged)) {
    throw new RangeError('has groups along a batch axis, which no program of ours has')
  }
  const semantics = dotSemantics(op, context)
  const multiply = (a: Tensor, b: Tensor, own: DotDimensions): Tensor =>
    contracted(a, b, own, (x, y) => product(x, y, semantics))
  return single(([left, right, sizes]) => {
    const [a, b, counts] = [real(left), real(right), real(sizes)]
    if (isSealed(counts)) throw new TypeError('has groups whose sizes are not known before it runs')
    if (counts.rank !== 1) throw new RangeError(`takes one list of sizes [${counts.shape.join(', ')}]`)
    const length = a.shape[ragged]!
    let from = 0
    const ranges = Array.from({ length: counts.size }, (_, i): [number, number] => {
      const start = Math.min(from, length)
      from += integerIn(counts, i)
      return [start, Math.min(from, length)]
    })
    const place = dims.left.indexOf(ragged)
    if (place >= 0) {
      const across = dims.right[place]!
      return stack(ranges.map(([i, j]) => multiply(range(a, ragged, i, j), range(b, across, i, j), dims)))
    }
    if (group === undefined) throw new RangeError('has no axis of groups in its right operand')
    // Without the axis of groups those behind it count one less.
    const behind = (axis: number): number => (axis > group ? axis - 1 : axis)
    const own = { ...dims, right: dims.right.map(behind), rightBatch: dims.rightBatch.map(behind) }
    const free = a.shape.flatMap((_, axis) =>
      dims.leftBatch.includes(axis) || dims.left.includes(axis) ? [] : [axis],
    )
    const axis = dims.leftBatch.length + free.indexOf(ragged)
    const parts = ranges.map(([i, j], g) =>
      multiply(range(a, ragged, i, j), slice(b, [...b.shape.slice(0, group).map(() => null), g]), own),
    )
    const done = Math.min(from, length)
    const shape = parts[0]!.shape.map((n, i) => (i === axis ? length - done : n))
    const rest = done < length ? [zeros(shape, { dtype: semantics.result })] : []
    return concat([...parts, ...rest], { axis })
  })
}
