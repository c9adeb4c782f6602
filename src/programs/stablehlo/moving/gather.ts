import {
  add,
  isSealed,
  maximum,
  minimum,
  mul,
  reshape,
  type Shape,
  sizeOf,
  slice,
  stridesOf,
  Tensor,
  take,
  tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { fields, integer, integers } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import { type Lowering, single } from '../values/lowering.js'
import { eachPart, real } from '../values/value.js'
import { clampedIndex } from './dynamicSlice.js'
import { resultType } from './moves.js'

/** How indices name windows of an operand: what `gather` and `scatter` have in common. */
export interface Windows {
  /** The axes of the operand that an index vector counts along, one for each of its entries. */
  readonly indexed: readonly number[]
  /** Axes of the operand that are a batch, and the axes of the indices in step with them. */
  readonly batch: readonly number[]
  readonly indexBatch: readonly number[]
  /** The axis of the indices that holds index vectors; behind the last, scalars are vectors of one. */
  readonly vector: number
  /** The size of a window along each axis of the operand. */
  readonly sizes: Shape
  /** The axes of the operand that a window has in the result, or in the updates; the others have length 1 and are left out. */
  readonly kept: readonly number[]
  /** The axes of the result, or of the updates, that go through a window. */
  readonly offset: readonly number[]
}

/** The shape of the indices without their vectors. */
export function indexShape(indices: Shape, { vector }: Windows): readonly number[] {
  return vector === indices.length ? indices : indices.filter((_, axis) => axis !== vector)
}

/** For each axis of the operand where the windows begin along it, as the indices say: a list with a number for each index vector. */
export function startsAlong(indices: Tensor, rank: number, windows: Windows): readonly Int32Array[] {
  const { indexed, vector } = windows
  const shape = indexShape(indices.shape, windows)
  const count = sizeOf(shape)
  const inner = sizeOf(indices.shape.slice(vector + 1))
  const width = vector === indices.rank ? 1 : indices.shape[vector]!
  const vectors: Int32Array[] = Array.from({ length: rank }, () => new Int32Array(count))
  for (let i = 0; i < count; i++) {
    const base = Math.floor(i / inner) * width * inner + (i % inner)
    for (const [k, axis] of indexed.entries()) {
      const index = integerIn(indices, base + k * inner)
      vectors[axis]![i] = Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, index))
    }
  }
  for (const [axis, own] of batchPlaces(shape, windows)) vectors[axis] = own
  return vectors
}

/** The index along each batch axis of the operand, which is where the index vector itself stands. */
function batchPlaces(shape: Shape, { batch, indexBatch, vector }: Windows): [axis: number, at: Int32Array][] {
  const strides = stridesOf(shape)
  return batch.map((axis, k) => {
    const along = indexBatch[k]! - (indexBatch[k]! > vector ? 1 : 0)
    const at = new Int32Array(sizeOf(shape))
    for (let i = 0; i < at.length; i++) at[i] = Math.floor(i / strides[along]!) % shape[along]!
    return [axis, at]
  })
}

/** How an operand is walked: by rows, its last axes that every window has whole, so that an index moves a row at once. */
export interface Rows {
  /** The elements of a row. */
  readonly length: number
  /** How many rows further an index is along each axis; 0 for the axes of a row. */
  readonly strides: readonly number[]
  /** The rows of a window, from its first one on. */
  readonly offsets: Int32Array
}

/** The rows of an operand for windows of it. */
export function rowsOf(operand: Shape, { sizes, kept }: Windows): Rows {
  let first = operand.length
  while (first > 0 && kept.includes(first - 1) && sizes[first - 1] === operand[first - 1]) first--
  const length = sizeOf(operand.slice(first))
  const strides = stridesOf(operand).map((stride, axis) => (axis < first ? stride / length : 0))
  let offsets = Int32Array.of(0)
  for (const axis of kept) {
    if (axis >= first) break
    const next = new Int32Array(offsets.length * sizes[axis]!)
    let at = 0
    for (const place of offsets) {
      for (let i = 0; i < sizes[axis]!; i++) next[at++] = place + i * strides[axis]!
    }
    offsets = next
  }
  return { length, strides, offsets }
}

/**
 * The axes of the result in terms of [the axes of the indices..., the axes of a window...]: where each comes from, and the other
 * way round for updates.
 */
export function axesOrder(rank: number, { offset }: Windows): readonly number[] {
  const batchRank = rank - offset.length
  let batch = 0
  let window = batchRank
  return Array.from({ length: rank }, (_, axis) => (offset.includes(axis) ? window++ : batch++))
}

function gatherWindows(op: Operation): Windows {
  const entries = fields(op, 'dimension_numbers')
  const list = (name: string): readonly number[] => integers(op, name, [], entries)
  const sizes = integers(op, 'slice_sizes')
  const left = new Set([...list('collapsed_slice_dims'), ...list('operand_batching_dims')])
  return {
    indexed: list('start_index_map'),
    batch: list('operand_batching_dims'),
    indexBatch: list('start_indices_batching_dims'),
    vector: integer(op, 'index_vector_dim', 0, entries),
    sizes,
    kept: sizes.flatMap((_, axis) => (left.has(axis) ? [] : [axis])),
    offset: list('offset_dims'),
  }
}

/** `stablehlo.gather`: windows of an operand, moved inside where they would reach out. */
export const gather: Lowering = (op) => {
  const windows = gatherWindows(op)
  const { shape } = resultType(op)
  return single(([x, indices]) =>
    eachPart(x, (part) => {
      const rows = rowsOf(part.shape, windows)
      const starts = firstRows(real(indices), part.shape, windows, rows)
      const lead = indexShape(real(indices).shape, windows)
      const window = windows.kept.map((axis) => windows.sizes[axis]!)
      const places = rowsTaken(starts, rows.offsets, lead)
      const table = reshape(part, [rows.length === 0 ? 0 : part.size / rows.length, rows.length])
      const flat = take(table, places, { axis: 0 })
      const grouped = reshape(flat, [...lead, ...window])
      const order = axesOrder(shape.length, windows)
      return order.every((axis, i) => axis === i) ? grouped : transpose(grouped, order)
    }),
  )
}

/** The rows of all windows: each start with every offset. */
function rowsTaken(starts: Int32Array | Tensor, offsets: Int32Array, lead: Shape): Tensor<'int32'> {
  const count = sizeOf(lead)
  if (starts instanceof Tensor) {
    const column = reshape(starts, [count, 1])
    return reshape(add(column, tensor(offsets, { shape: [1, offsets.length], dtype: 'int32' })), [
      count * offsets.length,
    ]) as Tensor<'int32'>
  }
  const places = new Int32Array(count * offsets.length)
  let at = 0
  for (const start of starts) for (const offset of offsets) places[at++] = start + offset
  return new Tensor('int32', [places.length], places)
}

/** The rows where windows begin, each moved inside: numbers, or operations on indices that are not known yet. */
function firstRows(
  indices: Tensor,
  operand: Shape,
  windows: Windows,
  { strides }: Rows,
): Int32Array | Tensor {
  const { indexed, sizes } = windows
  if (!isSealed(indices)) {
    const starts = new Int32Array(sizeOf(indexShape(indices.shape, windows)))
    for (const [axis, own] of startsAlong(indices, operand.length, windows).entries()) {
      const last = operand[axis]! - sizes[axis]!
      for (let i = 0; i < starts.length; i++) {
        starts[i]! += Math.min(Math.max(own[i]!, 0), last) * strides[axis]!
      }
    }
    return starts
  }
  const shape = indexShape(indices.shape, windows)
  let total: Tensor = tensor(new Int32Array(sizeOf(shape)), { shape, dtype: 'int32' })
  for (const [axis, own] of batchPlaces(shape, windows)) {
    total = add(
      total,
      tensor(
        own.map((i) => i * strides[axis]!),
        { shape, dtype: 'int32' },
      ),
    )
  }
  for (const [k, axis] of indexed.entries()) {
    const column =
      windows.vector === indices.rank
        ? indices
        : slice(indices, [...indices.shape.slice(0, windows.vector).map(() => null), k])
    const inside = minimum(maximum(clampedIndex(column, operand[axis]!), 0), operand[axis]! - sizes[axis]!)
    total = add(total, mul(inside, strides[axis]!))
  }
  return total
}
