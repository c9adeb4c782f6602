import { checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  type DType,
  type FloatDType,
  isFloat,
  matmul,
  type Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'
import { gatherAlong, reduceAlong, scatterAlong } from './along.js'
import { type GroupOrder, groupOrders } from './groupSum.js'
import type { Moved, Movement, Wires } from './movement.js'
import type { Sharded } from './sharded.js'

/** How the sum over a split inner dimension is made. */
export interface ShardedMatmulOptions {
  /** Who adds what to what where devices hold parts of the inner dimension. Default: 'bidirectional'. */
  readonly order?: GroupOrder
  /**
   * The dtype of a device's share of such a sum, and of the partial sums: what is sent. Default: float32, float64 for float64
   * operands; with their own dtype each share is rounded to it first.
   */
  readonly partials?: FloatDType
  /** The dimension of the result along which each device keeps its part of the sum: reduce-scatter. Default: all-reduce. */
  readonly scatter?: 0 | 1
}

const shardedMatmulNames: OptionTable<ShardedMatmulOptions> = {
  order: 'optional',
  partials: 'optional',
  scatter: 'optional',
}

/**
 * A matrix product on a mesh: what a device has not is gathered, and what it has only a share of is summed.
 * Inner dimension whole on both sides: nothing moves. Split on one side: that side is gathered. Split alike: devices multiply
 * what they have, then the sums are all-reduced, or reduce-scattered. Both outer dimensions split over one axis: the smaller
 * operand is gathered.
 */
export function shardedMatmul<D extends DType>(
  a: Sharded<D>,
  b: Sharded<D>,
  options: ShardedMatmulOptions | undefined,
  wires: Wires | undefined,
): Moved<D> {
  checkOptions('matmul', options, shardedMatmulNames, { positional: 'order' })
  const { order = 'bidirectional', scatter, partials = wideDType(a.dtype) } = options ?? {}
  checkName('matmul', 'order', order, groupOrders)
  const { dtype } = checkOperands(a, b, partials)
  if (scatter !== undefined && scatter !== 0 && scatter !== 1) {
    throw new RangeError(`matmul: scatter is neither 0 nor 1 [${shown(scatter)}]`)
  }
  const movements: Movement[] = []
  const gathered = <T extends DType>(x: Sharded<T>, dimension: number, down: number): Sharded<T> => {
    let whole = x
    while (whole.spec[dimension]!.length > down) {
      const axis = whole.spec[dimension]!.at(-1)!
      const moved = gatherAlong(whole, { axis, order: order === 'ring' ? 'ring' : 'bidirectional', wires })
      movements.push(...moved.movements)
      whole = moved.result
    }
    return whole
  }
  // Inner dimension: axes at the front that both sides have alike stay, all others are gathered.
  const [inner, other] = [a.spec[1]!, b.spec[0]!]
  const differs = inner.findIndex((name, i) => name !== other[i])
  const shared = differs < 0 ? inner.length : differs
  let left = gathered(a, 1, shared)
  let right = gathered(b, 0, shared)
  // Outer dimensions over one axis: one of them is gathered from there on.
  const clash = left.spec[0]!.filter((name) => right.spec[1]!.includes(name))
  if (clash.length > 0) {
    const first = (names: readonly string[]): number => names.findIndex((name) => clash.includes(name))
    const smaller = left.shards[0]!.size <= right.shards[0]!.size
    if (smaller) left = gathered(left, 0, first(left.spec[0]!))
    else right = gathered(right, 1, first(right.spec[1]!))
  }
  const sums = left.spec[1]!
  const products = left.shards.map((x, place) =>
    multiply(x, right.shards[place]!, sums.length > 0 ? partials : dtype),
  )
  let result: Sharded = {
    mesh: a.mesh,
    spec: [left.spec[0]!, right.spec[1]!],
    shape: [a.shape[0]!, b.shape[1]!],
    dtype: sums.length > 0 ? partials : dtype,
    unreduced: sums,
    shards: products,
  }
  for (const [i, axis] of [...sums].reverse().entries()) {
    // The last axis to be summed over is the first of the spec; it is the one that may be scattered.
    const how = { axis, order, wires }
    const last = i === sums.length - 1
    const moved =
      scatter !== undefined && last ? scatterAlong(result, how, scatter) : reduceAlong(result, how)
    movements.push(...moved.movements)
    result = moved.result
  }
  const shards = result.shards.map((part) => cast(part, dtype)) as unknown as readonly Tensor<D>[]
  return { result: { ...result, dtype: a.dtype, shards }, movements }
}

/** A device's own product, its sums in float32 (float64 for float64), rounded once to a dtype. */
function multiply(x: Tensor, y: Tensor, dtype: FloatDType): Tensor {
  const wide = wideDType(x.dtype)
  if (dtype === x.dtype) return matmul(x, y, { accumulate: wide })
  return cast(matmul(cast(x, wide), cast(y, wide), { accumulate: wide }), dtype)
}

function checkOperands(a: Sharded, b: Sharded, partials: FloatDType): { readonly dtype: FloatDType } {
  if (a.mesh !== b.mesh) {
    throw new RangeError(`matmul: operands lie on two meshes [${a.mesh.shape} and ${b.mesh.shape}]`)
  }
  if (a.shape.length !== 2 || b.shape.length !== 2 || a.shape[1] !== b.shape[0]) {
    throw new RangeError(`matmul: inner dimensions differ [${a.shape.join(', ')}] x [${b.shape.join(', ')}]`)
  }
  const { dtype } = a
  if (dtype !== b.dtype) {
    throw new TypeError(`matmul: dtypes differ, cast one of them [${dtype} and ${b.dtype}]`)
  }
  if (!isFloat(dtype)) throw new TypeError(`matmul: needs a floating-point dtype, cast first [${dtype}]`)
  checkFloatDType('matmul', 'partials', partials)
  for (const { unreduced } of [a, b]) {
    if (unreduced.length > 0) {
      throw new RangeError(`matmul: an operand is addends, reduce it first [${unreduced.join(', ')}]`)
    }
  }
  return { dtype }
}
