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
import { fields, integer, integers, region } from '../values/attributes.js'
import { lastOf } from '../values/lastOf.js'
import type { Elements, Lowering } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { simpleBody } from '../values/simpleBody.js'
import { Complex, eachPart, partsOf, real, shapeOf, type Value } from '../values/value.js'
import { axesOrder, indexShape, type Rows, rowsOf, startsAlong, type Windows } from './gather.js'
import { turnsOf } from './turns.js'

/** What an operation says of its windows, whatever the shapes. */
interface ScatterDimensions extends Omit<Windows, 'sizes' | 'kept'> {
  /** The axes of the operand that a window does not go through. */
  readonly left: readonly number[]
}

function dimensionsOf(op: Operation): ScatterDimensions {
  const entries = fields(op, 'scatter_dimension_numbers')
  const list = (name: string): readonly number[] => integers(op, name, [], entries)
  return {
    left: [...list('inserted_window_dims'), ...list('input_batching_dims')],
    offset: list('update_window_dims'),
    indexed: list('scatter_dims_to_operand_dims'),
    batch: list('input_batching_dims'),
    indexBatch: list('scatter_indices_batching_dims'),
    vector: integer(op, 'index_vector_dim', 0, entries),
  }
}

function scatterWindows({ left, ...rest }: ScatterDimensions, operand: Shape, updates: Shape): Windows {
  const kept = operand.flatMap((_, axis) => (left.includes(axis) ? [] : [axis]))
  const sizes = operand.map(() => 1)
  for (const [k, axis] of kept.entries()) sizes[axis] = updates[rest.offset[k]!]!
  return { ...rest, sizes, kept }
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

/** Operands with their updates: turn after turn what the body makes of the values that are there and the next updates. */
function scattered(
  operands: readonly Value[],
  updates: readonly Value[],
  places: Int32Array,
  windows: Windows,
  rows: Rows,
  body: Elements | 'replace' | 'add',
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
    if (at.length > 0) {
      now = now.map((x, k) => joined(x, news[k], (own, each) => withRows(own, at, rowsAt(each, from))))
    }
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
  readonly dimensions: ScatterDimensions
  /** Which of several operands. */
  readonly index: number
}

/** Operands, then indices, then updates, where the indices are not known yet: one result of the operation. */
function scatterOp(body: Elements | 'replace' | 'add'): Op<Scattering> {
  const own: Op<Scattering> = {
    name: 'scatter',
    form: 'whole',
    rounds: body === 'replace' ? 'never' : 'each step',
    kernel: (inputs, { dimensions, index }) => {
      const n = (inputs.length - 1) / 2
      const plain = inputs.map(untraced)
      return real(run(dimensions, plain.slice(0, n), plain[n]!, plain.slice(n + 1), body)[index])
    },
    gradient: ({ g, inputs, attributes: { dimensions } }) => {
      const [, indices, update] = inputs
      if (typeof body === 'function' || inputs.length !== 3) {
        throw new TypeError('scatter: has no gradient where its body is no sum and no replacement [scatter]')
      }
      const { shape, dtype } = update!
      const lastOnly = body === 'replace'
      const back = apply(scatterBackOp, [g, indices!], { dimensions, shape, lastOnly })
      // Places that were replaced have no cotangent; of updates that were replaced by later ones neither.
      const rest = lastOnly ? apply(own, [g, indices!, zeros(shape, { dtype })], { dimensions, index: 0 }) : g
      return [rest, undefined, back]
    },
  }
  return own
}

/** The operations of the bodies that have names. */
const namedScatter: Readonly<Record<'add' | 'replace', Op<Scattering>>> = {
  add: scatterOp('add'),
  replace: scatterOp('replace'),
}

interface ScatterBack {
  readonly dimensions: ScatterDimensions
  readonly shape: Shape
  /** Zero for updates that a later one replaced. */
  readonly lastOnly: boolean
}

/** The elements of the operand where updates went, in their shape; 0 for those that went nowhere. */
const scatterBackOp: Op<ScatterBack> = {
  name: 'scatterBack',
  form: 'whole',
  rounds: 'never',
  kernel: ([g, indices], { dimensions, shape, lastOnly }) => {
    const windows = scatterWindows(dimensions, g!.shape, shape)
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
  dimensions: ScatterDimensions,
  operands: readonly Value[],
  indices: Tensor,
  updates: readonly Value[],
  body: Elements | 'replace' | 'add',
): readonly Value[] {
  const operand = shapeOf(operands[0])
  const windows = scatterWindows(dimensions, operand, shapeOf(updates[0]))
  const rows = rowsOf(operand, windows)
  if (rows.length === 0 || indices.size + sizeOf(shapeOf(updates[0])) === 0) return operands
  return scattered(operands, updates, targets(indices, operand, windows, rows), windows, rows, body)
}

/** `stablehlo.scatter`: updates in the order of the indices, those that do not lie inside left out. */
export const scatter: Lowering = (op, context) => {
  const lifted = context.lifted(region(op))
  const dimensions = dimensionsOf(op)
  const simple = simpleBody(region(op))
  const opOf = lastOf((body: Elements) => scatterOp(body))
  return (inputs, frame) => {
    const n = (inputs.length - 1) / 2
    const operands = inputs.slice(0, n)
    const indices = real(inputs[n])
    const updates = inputs.slice(n + 1)
    // A sum of bools is 'or', which the body knows.
    const isBool = operands.some((value) => value instanceof Tensor && value.dtype === 'bool')
    const isSum = simple === 'stablehlo.add' && !isBool
    const named = simple === 'second' ? 'replace' : isSum ? 'add' : undefined
    const body = named ?? lifted(frame)
    if (!isSealed(indices)) return run(dimensions, operands, indices, updates, body)
    const parts = operands.map(partsOf)
    const news = updates.map(partsOf)
    const own = typeof body === 'function' ? opOf(body) : namedScatter[body]
    if (typeof body === 'function' && parts.some((each) => each.length > 1)) {
      throw new TypeError('has no complex form where its indices are not known yet')
    }
    // Real and imaginary parts each by themselves: they are moved and added alike.
    const results = (part: number): Tensor[] => {
      const all = [...parts.map((each) => each[part]!), indices, ...news.map((each) => each[part]!)]
      return operands.map((_, index) => apply(own, all, { dimensions, index }))
    }
    const first = results(0)
    if (parts[0]!.length === 1) return first
    const second = results(1)
    return first.map((re, i) => new Complex(re, second[i]!))
  }
}
