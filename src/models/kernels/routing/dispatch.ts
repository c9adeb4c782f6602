import { checkRecord } from '../../../base/options/index.js'
import {
  add,
  cast,
  checkTensor,
  concat,
  type DType,
  isFloat,
  mul,
  reshape,
  slice,
  type Tensor,
  take,
  where,
  zeros,
} from '../../../tensors/tensor/index.js'
import type { Assignment } from './assignExperts.js'

const fields = ['experts', 'kept', 'load', 'tokens', 'slots', 'capacity']

/**
 * Tokens in the places that their choices have, zeros in the empty ones.
 *
 * Shape     x [tokens, d] -> [experts, capacity, d].
 * Rounding  none: rows are moved, without the product with a mask that costs 2 tokens experts capacity d operations.
 * Gradient  the sum of what a token's places give, as `take`'s.
 *
 * @example dispatch(tensor([[5], [6]]), assignExperts(tensor([[1], [1]], { dtype: 'int32' }), { experts: 2, capacity: 2 })).toNested() // [[[0], [0]], [[5], [6]]]
 */
export function dispatch<D extends DType>(x: Tensor<D>, assignment: Assignment): Tensor<D> {
  checkTensor('dispatch', x)
  checkRecord('dispatch', 'assignment', assignment, fields)
  checkTensor('dispatch', assignment.experts)
  checkTensor('dispatch', assignment.tokens)
  checkTensor('dispatch', assignment.load)
  const [tokens] = assignment.experts.shape
  if (x.rank !== 2 || x.shape[0] !== tokens) {
    throw new RangeError(`dispatch: x is not [${tokens} tokens, d] [${x.shape.join(', ')}]`)
  }
  const rows = take(withZeros(x), assignment.tokens, { axis: 0 })
  return reshape(rows, [assignment.load.size, assignment.capacity, x.shape[1]!])
}

/**
 * What the experts made of each token, weighted and added up; dropped choices give nothing and are not made up for.
 *
 * Shape     y [experts, capacity, d], weights [tokens, k] -> [tokens, d].
 * Dtype     that of y, a float.
 * Rounding  y and weights widened to float32 (float64 where one of them is); per choice, ascending, weight y and the sum from +0,
 *           each; once to the dtype of y.
 * Error     (k + 1) u32 sum |w y| + u |r|.
 *
 * @example combine(tensor([[[5], [6]]]), assignExperts(tensor([[0], [0]], { dtype: 'int32' }), { experts: 1, capacity: 2 }), tensor([[2], [1]])).toNested() // [[10], [6]]
 */
export function combine<D extends DType>(y: Tensor<D>, assignment: Assignment, weights: Tensor): Tensor<D> {
  checkTensor('combine', y)
  checkTensor('combine', weights)
  checkRecord('combine', 'assignment', assignment, fields)
  for (const part of [assignment.slots, assignment.kept, assignment.load] as readonly Tensor[]) {
    checkTensor('combine', part)
  }
  for (const { dtype } of [y, weights] as readonly Tensor[]) {
    if (!isFloat(dtype)) throw new TypeError(`combine: needs a floating-point dtype, cast first [${dtype}]`)
  }
  const [tokens, k] = assignment.slots.shape as [number, number]
  const places = [assignment.load.size, assignment.capacity]
  if (y.rank !== 3 || y.shape[0] !== places[0] || y.shape[1] !== places[1]) {
    throw new RangeError(`combine: y is not [${places.join(', ')}, d] [${y.shape.join(', ')}]`)
  }
  if (weights.rank !== 2 || weights.shape[0] !== tokens || weights.shape[1] !== k) {
    throw new RangeError(`combine: weights are not [${tokens}, ${k}] [${weights.shape.join(', ')}]`)
  }
  const d = y.shape[2]!
  const wide = [y.dtype as DType, weights.dtype].includes('float64') ? 'float64' : 'float32'
  const rows: Tensor = withZeros(reshape(cast(y, wide) as Tensor, [places[0]! * places[1]!, d]))
  const factors: Tensor = cast(weights, wide)
  let total: Tensor = zeros([tokens, d], { dtype: wide })
  for (let choice = 0; choice < k; choice++) {
    const column = [null, [choice, choice + 1]] as const
    const row = take(rows, reshape(slice(assignment.slots, column), [tokens]), { axis: 0 })
    // Where a choice was dropped its weight does not matter, not even as a NaN.
    const weight = where(slice(assignment.kept, column), slice(factors, column), 0)
    total = add(total, mul(row, weight))
  }
  return cast(total, y.dtype)
}

/** One more row, of zeros: what an empty place and a dropped choice read. */
function withZeros<D extends DType>(x: Tensor<D>): Tensor<D> {
  return concat([x, zeros([1, x.shape[1]!], { dtype: x.dtype })], { axis: 0 })
}
