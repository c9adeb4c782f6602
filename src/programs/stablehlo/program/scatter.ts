import {
  add,
  apply,
  concat,
  isSealed,
  type Op,
  reshape,
  type Shape,
  sizeOf,
  Tensor,
  take,
  transpose,
  untraced,
  zeros,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { fields, integer, integers, region } from './attributes.js'
import { axesOrder, indexShape, type Rows, rowsOf, startsAlong, type Windows } from './gather.js'
import type { BoundRegion, Frame, Lowering } from './lowering.js'
import { broadcastLanes } from './perElement.js'
import { simpleBody } from './simpleBody.js'
import { turnsOf } from './turns.js'
import { Complex, eachPart, partsOf, real, shapeOf, type Value } from './value.js'

function scatterWindows(op: Operation, operand: Shape, updates: Shape): Windows {
  const entries = fields(op, 'scatter_dimension_numbers')
  const list = (name: string): readonly number[] => integers(op, name, [], entries)
  const left = new Set([...list('inserted_window_dims'), ...list('input_batching_dims')])
  const kept = operand.flatMap((_, axis) => (left.has(axis) ? [] : [axis]))
  const offset = list('update_window_dims')
  const sizes = operand.map(() => 1)
  for (const [k, axis] of kept.entries()) sizes[axis] = updates[offset[k]!]!
  return {
    indexed: list('scatter_dims_to_operand_dims'),
    batch: list('input_batching_dims'),
    indexBatch: list('scatter_indices_batching_dims'),
    vector: integer(op, 'index_vector_dim', 0, entries),
    ...{ sizes, kept, offset },
  }
}

/** The row of the operand that each row of the updates goes to, -1 for updates that do not lie inside. */
function targets(indices: Tensor, operand: Shape, windows: Windows, rows: Rows): Int32Array {
  const { sizes } = windows
  const count = sizeOf(indexShape(indices.shape, windows))
  const starts = startsAlong(indices, operand.length, windows)
  const places = new Int32Array(count * rows.offsets.length)
  const last = operand.map((length, axis) => length - sizes[axis]!)
  let at = 0
  for (let i = 0; i < count; i++) {
    let first = 0
    let inside = true
    for (const [axis, own] of starts.entries()) {
      inside &&= own[i]! >= 0 && own[i]! <= last[axis]!
      first += own[i]! * rows.strides[axis]!
    }
    for (const offset of rows.offsets) places[at++] = inside ? first + offset : -1
  }
  return places
}

/** The updates as rows, in the order of the indices. */
function updateRows(update: Tensor, windows: Windows, rows: Rows, count: number): Tensor {
  const order = axesOrder(update.rank, windows)
  const back = order.map((_, i) => order.indexOf(i))
  const grouped = order.every((axis, i) => axis === i) ? update : transpose(update, back)
  return reshape(grouped, [count, rows.length])
}

/** The rows of x with some replaced. */
function withRows(x: Tensor, rows: readonly number[], values: Tensor): Tensor {
  const from = Int32Array.from({ length: x.shape[0]! }, (_, i) => i)
  for (const [i, row] of rows.entries()) from[row] = x.shape[0]! + i
  return take(concat([x, values]), new Tensor('int32', [from.length], from), { axis: 0 })
}

function rowsAt(x: Tensor, rows: readonly number[]): Tensor {
  return take(x, new Tensor('int32', [rows.length], Int32Array.from(rows)), { axis: 0 })
}

type Body = (values: readonly Value[]) => readonly Value[]

/** Operands with their updates: turn after turn what the body makes of the values that are there and the next updates. */
function scattered(
  operands: readonly Value[],
  updates: readonly Value[],
  places: Int32Array,
  windows: Windows,
  rows: Rows,
  body: Body | 'replace' | 'add',
): readonly Value[] {
  const shape = shapeOf(operands[0])
  const table = (value: Value): Value =>
    eachPart(value, (x) => reshape(x, [rows.length === 0 ? 0 : x.size / rows.length, rows.length]))
  const news = updates.map((value) => eachPart(value, (x) => updateRows(x, windows, rows, places.length)))
  let now = operands.map(table)
  if (body === 'replace') {
    const last = new Map<number, number>()
    for (const [i, place] of places.entries()) if (place >= 0) last.set(place, i)
    const at = [...last.keys()]
    const from = [...last.values()]
    if (at.length > 0)
      now = now.map((x, k) => joined(x, news[k], (own, each) => withRows(own, at, rowsAt(each, from))))
  } else {
    for (const turn of turnsOf(places)) {
      const at = turn.map((i) => places[i]!)
      const there = now.map((x) => eachPart(x, (part) => rowsAt(part, at)))
      const next = news.map((x) => eachPart(x, (part) => rowsAt(part, turn)))
      const results =
        body === 'add'
          ? there.map((x, k) => joined(x, next[k], (a, b) => add(a, b)))
          : body([...there, ...next]).map((value) => broadcastLanes(value, [at.length, rows.length]))
      now = now.map((x, k) => joined(x, results[k], (own, each) => withRows(own, at, each)))
    }
  }
  return now.map((value) => eachPart(value, (x) => reshape(x, shape)))
}

/** A function of two tensors on values of one kind. */
function joined(a: Value, b: Value, f: (x: Tensor, y: Tensor) => Tensor): Value {
  const [x, y] = [partsOf(a), partsOf(b)]
  const parts = x.map((part, i) => f(part, y[i]!))
  return parts.length === 2 ? new Complex(parts[0]!, parts[1]!) : parts[0]
}

interface Scattering {
  readonly op: Operation
  readonly kind: 'replace' | 'add' | 'other'
  readonly body: Body
  readonly index: number
}

/** Operands, then indices, then updates, where the indices are not known yet: one result of the operation. */
const scatterOp: Op<Scattering> = {
  name: 'scatter',
  form: 'whole',
  rounds: 'each step',
  kernel: (inputs, { op, kind, body, index }) => {
    const n = (inputs.length - 1) / 2
    const plain = inputs.map(untraced)
    return real(
      run(op, plain.slice(0, n), plain[n]!, plain.slice(n + 1), kind === 'other' ? body : kind)[index],
    )
  },
  gradient: ({ g, inputs: [, indices, update], attributes }) => {
    const { kind, op } = attributes
    if (kind === 'other' || !update) {
      throw new TypeError('scatter: has no gradient where its body is no sum and no replacement [scatter]')
    }
    const gathered = apply(gatherBackOp, [g, indices!], { op, shape: update.shape })
    if (kind === 'add') return [g, undefined, gathered]
    // Only the last update of a place has the cotangent; the operand has that of places without any.
    return [
      apply(scatterOp, [g, indices!, zeros(update.shape, { dtype: update.dtype })], attributes),
      undefined,
      apply(gatherBackOp, [g, indices!], { op, shape: update.shape, lastOnly: true }),
    ]
  },
}

interface GatherBack {
  readonly op: Operation
  readonly shape: Shape
  /** Zero for updates that a later one replaced. */
  readonly lastOnly?: boolean
}

/** The elements of the operand where updates went, in their shape; 0 for those that went nowhere. */
const gatherBackOp: Op<GatherBack> = {
  name: 'scatterBack',
  form: 'whole',
  rounds: 'never',
  kernel: ([g, indices], { op, shape, lastOnly = false }) => {
    const windows = scatterWindows(op, g!.shape, shape)
    const rows = rowsOf(g!.shape, windows)
    const places = targets(indices!, g!.shape, windows, rows)
    const last = new Map<number, number>()
    for (const [i, place] of places.entries()) last.set(place, i)
    const table = concat([
      reshape(untraced(g!), [g!.size / rows.length, rows.length]),
      zeros([1, rows.length], { dtype: g!.dtype }),
    ])
    const none = table.shape[0]! - 1
    const from = [...places].map((place, i) =>
      place < 0 || (lastOnly && last.get(place) !== i) ? none : place,
    )
    const order = axesOrder(shape.length, windows)
    const lead = indexShape(indices!.shape, windows)
    const window = windows.kept.map((axis) => windows.sizes[axis]!)
    const taken = reshape(rowsAt(table, from), [...lead, ...window])
    return order.every((axis, i) => axis === i) ? taken : transpose(taken, order)
  },
}

function run(
  op: Operation,
  operands: readonly Value[],
  indices: Tensor,
  updates: readonly Value[],
  body: Body | 'replace' | 'add',
): readonly Value[] {
  const operand = shapeOf(operands[0])
  const windows = scatterWindows(op, operand, shapeOf(updates[0]))
  const rows = rowsOf(operand, windows)
  if (rows.length === 0 || indices.size + sizeOf(shapeOf(updates[0])) === 0) return operands
  return scattered(operands, updates, targets(indices, operand, windows, rows), windows, rows, body)
}

/** `stablehlo.scatter`: updates in the order of the indices, those that do not lie inside left out. */
export const scatter: Lowering = (op, context) => {
  const body: BoundRegion = context.lifted(region(op))
  const simple = simpleBody(region(op))
  const kind = simple === 'second' ? 'replace' : simple === 'stablehlo.add' ? 'add' : 'other'
  return (inputs, frame: Frame) => {
    const n = (inputs.length - 1) / 2
    const operands = inputs.slice(0, n)
    const indices = real(inputs[n])
    const updates = inputs.slice(n + 1)
    const own: Body = (values) => body(values, frame)
    // A sum of bools is 'or', which the body knows.
    const isBool = operands.some((value) => value instanceof Tensor && value.dtype === 'bool')
    const plainKind = kind === 'add' && isBool ? 'other' : kind
    if (!isSealed(indices))
      return run(op, operands, indices, updates, plainKind === 'other' ? own : plainKind)
    if (operands.some((value) => value instanceof Complex)) {
      throw new TypeError('has no complex form where its indices are not known yet')
    }
    const all = [...operands.map(real), indices, ...updates.map(real)]
    return operands.map((_, index) => apply(scatterOp, all, { op, kind: plainKind, body: own, index }))
  }
}
