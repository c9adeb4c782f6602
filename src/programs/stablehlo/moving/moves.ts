import {
  arange,
  broadcastTo,
  concat,
  type DType,
  flip,
  reshape,
  type Shape,
  sameShape,
  slice,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { integer, integers } from '../values/attributes.js'
import { type StaticType, staticType } from '../values/elementType.js'
import { type Lowering, single } from '../values/lowering.js'
import type { LoweringTable, MoveName } from '../values/operations.js'
import { Complex, eachPart, eachPartOf, real } from '../values/value.js'
import { padded } from './pad.js'

/** The type of an operation's only result. */
export function resultType(op: Operation): StaticType {
  const [result] = op.results
  if (!result) throw new RangeError('has no result')
  return staticType(result.type)
}

/** Axes of operands that are moved, without an operation where nothing moves. */
export function transposed(x: Tensor, axes: readonly number[]): Tensor {
  return axes.every((axis, i) => axis === i) ? x : transpose(x, axes)
}

/** The same elements in another shape, without an operation where it is the same. */
export function reshaped(x: Tensor, shape: Shape): Tensor {
  return sameShape(x.shape, shape) ? x : reshape(x, shape)
}

/** x repeated along axes of length 1, without an operation where nothing is. */
export function repeated(x: Tensor, shape: Shape): Tensor {
  return sameShape(x.shape, shape) ? x : broadcastTo(x, shape)
}

const broadcastInDim: Lowering = (op) => {
  const dims = integers(op, 'broadcast_dimensions')
  const { shape } = resultType(op)
  const order = dims.map((_, i) => i).sort((a, b) => dims[a]! - dims[b]!)
  return single(([x]) =>
    eachPart(x, (part) => {
      if (dims.length !== part.rank) throw new RangeError(`names ${dims.length} dimensions of ${part.rank}`)
      const placed = shape.map(() => 1)
      for (const [i, dim] of dims.entries()) placed[dim] = part.shape[i]!
      return repeated(reshaped(transposed(part, order), placed), shape)
    }),
  )
}

const concatenate: Lowering = (op) => {
  const axis = integer(op, 'dimension')
  return single((parts) =>
    parts.length === 1 ? parts[0] : eachPartOf(parts, (xs) => concat([...xs], { axis })),
  )
}

const iota: Lowering = (op) => {
  const dimension = integer(op, 'iota_dimension')
  const { dtype, isComplex, shape } = resultType(op)
  const length = shape[dimension]
  if (length === undefined) throw new RangeError(`has no axis ${dimension} [${shape.join(', ')}]`)
  const made = counted(length, dimension, shape, dtype)
  return () => [isComplex ? new Complex(made, counted(0, dimension, shape, dtype)) : made]
}

/** 0, 1, ... along an axis; of length 0 all zeros. */
function counted(length: number, axis: number, shape: Shape, dtype: DType): Tensor {
  const column = shape.map((_, i) => (i === axis ? length : 1))
  const counts = length === 0 ? arange(0, 1, { dtype }) : arange(0, length, { dtype })
  return repeated(reshape(counts, length === 0 ? shape.map(() => 1) : column), shape)
}

const sliced: Lowering = (op) => {
  const starts = integers(op, 'start_indices')
  const limits = integers(op, 'limit_indices')
  const strides = integers(
    op,
    'strides',
    starts.map(() => 1),
  )
  const ranges = starts.map((start, i): [number, number, number] => [start, limits[i]!, strides[i]!])
  return single(([x]) => eachPart(x, (part) => slice(part, ranges)))
}

const reverse: Lowering = (op) => {
  const axes = integers(op, 'dimensions')
  return single(([x]) =>
    axes.length === 0 ? x : eachPart(x, (part) => flip(part, { axis: axes as number[] })),
  )
}

const pad: Lowering = (op) => {
  const low = integers(op, 'edge_padding_low')
  const high = integers(op, 'edge_padding_high')
  const interior = integers(
    op,
    'interior_padding',
    low.map(() => 0),
  )
  return single(([x, value]) =>
    eachPartOf([x, value], ([part, fill]) => padded(part!, fill!, low, high, interior)),
  )
}

/** Operations that move elements. */
export const moves: LoweringTable<MoveName> = {
  'stablehlo.broadcast_in_dim': broadcastInDim,
  'stablehlo.broadcast': (op) => {
    const { shape } = resultType(op)
    return single(([x]) => eachPart(x, (part) => repeated(part, shape)))
  },
  'stablehlo.concatenate': concatenate,
  'stablehlo.iota': iota,
  'stablehlo.pad': pad,
  'stablehlo.reshape': (op) => {
    const { shape } = resultType(op)
    return single(([x]) => eachPart(x, (part) => reshaped(part, shape)))
  },
  'stablehlo.reverse': reverse,
  'stablehlo.slice': sliced,
  'stablehlo.transpose': (op) => {
    const permutation = integers(op, 'permutation')
    return single(([x]) => eachPart(x, (part) => transposed(part, permutation)))
  },
  'stablehlo.get_dimension_size': (op) => {
    const dimension = integer(op, 'dimension')
    return single(([x]) => {
      const length = real(x).shape[dimension]
      if (length === undefined) throw new RangeError(`has no axis ${dimension}`)
      return reshape(arange(length, length + 1, { dtype: 'int32' }), [])
    })
  },
}
