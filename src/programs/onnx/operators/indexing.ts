import {
  add,
  arange,
  broadcastTo,
  cast,
  concat,
  less,
  maximum,
  minimum,
  mul,
  type Range,
  reshape,
  sizeOf,
  slice,
  stack,
  sum,
  type Tensor,
  take,
  takeAlongAxis,
  tensor,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { int64s } from './layout.js'

/** Positions as int32, negative ones counted from the end of an axis. */
function positions(indices: Tensor, length: number): Tensor<'int32'> {
  const at = cast(indices, 'int32')
  return where(less(at, 0), add(at, length), at)
}

function gather(call: Call, x?: Tensor, indices?: Tensor): Tensor {
  const value = call.need(x, 0)
  const axis = call.axis(call.number('axis', 0), value.rank)
  return take(value, positions(call.need(indices, 1), value.shape[axis]!), { axis })
}

/** The part of x that indices of a smaller shape reach, whole along `axis`. */
function reached(x: Tensor, indices: Tensor, axis: number): Tensor {
  const ranges: Range[] = x.shape.map((n, i) =>
    i === axis || indices.shape[i] === n ? null : [0, indices.shape[i]!],
  )
  return ranges.every((range) => range === null) ? x : slice(x, ranges)
}

function gatherElements(call: Call, x?: Tensor, indices?: Tensor): Tensor {
  const value = call.need(x, 0)
  const at = call.need(indices, 1)
  const axis = call.axis(call.number('axis', 0), value.rank)
  return takeAlongAxis(reached(value, at, axis), positions(at, value.shape[axis]!), { axis })
}

/** Row numbers in x, its first axes as one, of index tuples [..., k]. */
function rowsOf(shape: readonly number[], indices: Tensor): Tensor {
  const k = indices.shape.at(-1)!
  const strides = Array.from({ length: k }, (_, i) => sizeOf(shape.slice(i + 1, k)))
  const at = cast(indices, 'int32')
  const lengths = tensor(shape.slice(0, k), { dtype: 'int32' })
  const front = where(less(at, 0), add(at, broadcastTo(lengths, at.shape)), at)
  return sum(mul(front, tensor(strides, { dtype: 'int32' })), { axis: -1 })
}

function gatherND(call: Call, x?: Tensor, indices?: Tensor): Tensor {
  const value = call.need(x, 0)
  const at = call.need(indices, 1)
  const batch = call.number('batch_dims', 0)
  const k = at.shape.at(-1)!
  const groups = value.shape.slice(0, batch)
  const inner = value.shape.slice(batch)
  const count = sizeOf(groups)
  const each = sizeOf(inner.slice(0, k))
  const rest = inner.slice(k)
  const rows = reshape(value, [count * each, sizeOf(rest)])
  const flat = reshape(rowsOf(inner, at), [count, at.size / k / count])
  const starts = mul(reshape(arange(0, count, { dtype: 'int32' }), [count, 1]), each)
  const taken = take(rows, reshape(add(flat, starts), [at.size / k]), { axis: 0 })
  return reshape(taken, [...at.shape.slice(0, -1), ...rest])
}

const combinations: Readonly<Record<string, (old: Tensor, update: Tensor) => Tensor>> = {
  none: (_, update) => update,
  add,
  mul,
  max: maximum,
  min: minimum,
}

/**
 * Rows of `x` [n, width] combined with rows of `updates` at `rows`, in the order of the updates where a row is named several times: once
 * for all first namings, then for the second ones, and so on.
 */
function scattered(call: Call, x: Tensor, rows: Tensor, updates: Tensor): Tensor {
  const how = call.text('reduction', 'none')
  const combine = combinations[how]
  if (!combine) throw call.error('has an unknown reduction', how)
  const n = x.shape[0]!
  const at = call.known(rows, 'its indices').map((row) => (row < 0 ? row + n : row))
  const outside = at.find((row) => !(row >= 0 && row < n))
  if (outside !== undefined) throw call.error(`has an index outside of ${n} rows`, outside)
  const seen = new Int32Array(n)
  const rounds: number[][] = []
  for (const [i, row] of at.entries()) {
    const round = how === 'none' ? 0 : seen[row]!++
    rounds[round] ??= []
    rounds[round].push(i)
  }
  let result = x
  for (const round of rounds) {
    const named = round.map((i) => at[i]!)
    const changed = combine(take(result, named, { axis: 0 }), take(updates, round, { axis: 0 }))
    const source = Int32Array.from({ length: n }, (_, row) => row)
    for (const [i, row] of named.entries()) source[row] = n + i
    result = take(concat([result, changed], { axis: 0 }), tensor(source, { dtype: 'int32' }), { axis: 0 })
  }
  return result
}

function scatterND(call: Call, x?: Tensor, indices?: Tensor, updates?: Tensor): Tensor {
  const value = call.need(x, 0)
  const at = call.need(indices, 1)
  const k = at.shape.at(-1)!
  const width = sizeOf(value.shape.slice(k))
  const rows = reshape(rowsOf(value.shape, at), [at.size / Math.max(k, 1)])
  const flat = reshape(value, [sizeOf(value.shape.slice(0, k)), width])
  return reshape(scattered(call, flat, rows, reshape(call.need(updates, 2), [rows.size, width])), value.shape)
}

function scatterElements(call: Call, x?: Tensor, indices?: Tensor, updates?: Tensor): Tensor {
  const value = call.need(x, 0)
  const at = call.need(indices, 1)
  const axis = call.axis(call.number('axis', 0), value.rank)
  // The flat position of every index: its own coordinates, but along the axis the index.
  const coordinates = at.shape.map((length, i) => {
    if (i === axis) return positions(at, value.shape[axis]!)
    const own = reshape(
      arange(0, length, { dtype: 'int32' }),
      at.shape.map((_, j) => (j === i ? length : 1)),
    )
    return broadcastTo(own, at.shape)
  })
  const rows = reshape(rowsOf(value.shape, stack(coordinates, { axis: -1 })), [at.size])
  const flat = reshape(value, [value.size, 1])
  return reshape(scattered(call, flat, rows, reshape(call.need(updates, 2), [at.size, 1])), value.shape)
}

/** Positions of the elements that are not zero, [rank, count]: how many is known only from the elements. */
function nonZero(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  const found = call.known(value, 'its elements').flatMap((one, i) => (one !== 0 ? [i] : []))
  const strides = value.shape.map((_, i) => sizeOf(value.shape.slice(i + 1)))
  const rows = strides.map((stride, i) => found.map((at) => Math.floor(at / stride) % value.shape[i]!))
  return int64s(rows.flat(), [value.rank, found.length])
}

function compressed(call: Call, x?: Tensor, condition?: Tensor): Tensor {
  const value = call.need(x, 0)
  const kept = call
    .known(call.need(condition, 1), 'its condition')
    .flatMap((one, i) => (one !== 0 ? [i] : []))
  if (!call.has('axis')) return take(reshape(value, [value.size]), kept, { axis: 0 })
  return take(value, kept, { axis: call.axis(call.number('axis', 0), value.rank) })
}

function reversed(call: Call, x?: Tensor, lengths?: Tensor): Tensor {
  const value = call.need(x, 0)
  const [time, batch] = [call.number('time_axis', 0), call.number('batch_axis', 1)]
  const ends = call.known(call.need(lengths, 1), 'its lengths')
  const order = [batch, time, ...value.shape.map((_, i) => i).filter((i) => i !== batch && i !== time)]
  const rows = transpose(value, order)
  const steps = value.shape[time]!
  const places = ends.flatMap((end, i) =>
    Array.from({ length: steps }, (_, t) => i * steps + (t < end ? end - 1 - t : t)),
  )
  const flat = reshape(rows, [rows.shape[0]! * steps, ...rows.shape.slice(2)])
  const taken = reshape(take(flat, places, { axis: 0 }), rows.shape)
  return transpose(
    taken,
    order.map((_, i) => order.indexOf(i)),
  )
}

/** Operators that read or write at indices. */
export const indexingOperators: Readonly<Record<string, Operator>> = {
  Compress: compressed,
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherND,
  NonZero: nonZero,
  ReverseSequence: reversed,
  ScatterElements: scatterElements,
  ScatterND: scatterND,
}
