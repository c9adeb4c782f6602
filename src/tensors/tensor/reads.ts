import { checkArray, checkInteger, checkRecord } from '../../base/options/index.js'
import { laneOf, lanesOf, laneTable } from './reductions/lanes.js'
import { matricesOf } from './reductions/matrices.js'
import { formOf, type Reads } from './storage/op.js'
import { broadcastStrides, offsetsOf, type Shape, sameShape, sizeOf } from './storage/shape.js'
import { type Op, Tensor } from './storage/tensor.js'

/**
 * Which elements of its operands each element of an operation's result reads, one `Reads` for each operand: derived from
 * the operation's form and attributes. Loops read the tables; `placesRead` lists what one element reads.
 *
 * Shape     `shapes` those of the operands, `output` that of the result.
 * Cost      the tables are made at once, as many places as the operation reads; an elementwise operation whose operands
 *           have the shape of the result makes none.
 *
 * @example placesRead(reads(ops.sum, { axes: [0] }, [[2, 3]], [3])[0], 1) // [1, 4]
 * @example placesRead(reads(ops.cumsum, { axis: 0 }, [[4]], [4])[0], 2) // [0, 1, 2]
 */
export function reads(
  op: Op,
  attributes: unknown,
  shapes: readonly Shape[],
  output: Shape,
): readonly Reads[] {
  checkRecord('reads', 'op', op, ['kernel'])
  checkArray('reads', 'shapes', shapes)
  checkArray('reads', 'output', output)
  for (const shape of shapes) {
    checkArray('reads', 'a shape', shape)
    for (const size of shape) checkInteger('reads', 'a size of a shape', size)
  }
  const form = formOf(op)
  const least = form === 'dot' ? 2 : form === 'scan' || form === 'reduce' ? 1 : 0
  if (shapes.length < least) {
    throw new RangeError(`reads: ${op.name} has ${least} operands or more [${shapes.length} shapes]`)
  }
  switch (form) {
    case 'elementwise':
      return shapes.map((shape) => singles(broadcastPlaces(shape, output)))
    case 'view':
    case 'concat':
      return movedReads(op, attributes, shapes)
    case 'reduce':
      return [laneReads(shapes[0]!, (attributes as { axes: readonly number[] }).axes)]
    case 'scan':
      return [scanReads(shapes[0]!, (attributes as { axis: number }).axis)]
    case 'dot':
      return productReads(shapes[0]!, shapes[1]!)
    case 'whole':
      return op.reads?.(attributes, shapes, output) ?? shapes.map(wholeReads)
    default:
      return form satisfies never
  }
}

/** The flat places of one operand that a result element reads, in the operation's order. */
export function placesRead({ at, from, count }: Reads, element: number): number[] {
  const first = from(element)
  return at ? Array.from(at.subarray(first, first + count(element))).filter((place) => place >= 0) : [first]
}

/**
 * The place of the operand element under every element of a result that `shape` is broadcast to; undefined where they are in
 * step.
 *
 * @example broadcastPlaces([2, 1], [2, 3]) // [0, 0, 0, 1, 1, 1]
 */
export function broadcastPlaces(shape: Shape, output: Shape): Int32Array | undefined {
  checkArray('broadcastPlaces', 'shape', shape)
  checkArray('broadcastPlaces', 'output', output)
  return sameShape(shape, output) ? undefined : offsetsOf(output, broadcastStrides(shape, output))
}

/**
 * Where each element of a moving or joining operation's result comes from, counted through the concatenated operands;
 * -1 where the operation writes a zero of its own. Found by moving the numbers of the elements themselves.
 *
 * @example movedPlaces(ops.tril, { k: 0 }, [[2, 2]]) // [0, -1, 2, 3]
 */
export function movedPlaces(op: Op, attributes: unknown, shapes: readonly Shape[]): Int32Array {
  checkRecord('movedPlaces', 'op', op, ['kernel'])
  checkArray('movedPlaces', 'shapes', shapes)
  let next = 1
  const numbers = shapes.map(
    (shape) =>
      new Tensor(
        'int32',
        shape,
        Int32Array.from({ length: sizeOf(shape) }, () => next++),
      ),
  )
  return Int32Array.from(op.kernel(numbers, attributes).toNumbers(), (number) => number - 1)
}

const one = (): number => 1
const itself = (element: number): number => element

const singles = (at: Int32Array | undefined): Reads => ({ at, from: itself, count: one })

function movedReads(op: Op, attributes: unknown, shapes: readonly Shape[]): Reads[] {
  if (shapes.length === 0) return []
  const from = movedPlaces(op, attributes, shapes)
  let before = 0
  return shapes.map((shape) => {
    const [first, behind] = [before, before + sizeOf(shape)]
    before = behind
    return singles(
      shapes.length === 1 ? from : from.map((at) => (at >= first && at < behind ? at - first : -1)),
    )
  })
}

/** The lanes of a tensor along axes (ascending), in the order of the axes that stay: lane k is at[k length] and on. */
export interface LaneTable {
  readonly lanes: number
  readonly length: number
  readonly at: Int32Array
}

/**
 * The places of the elements of every lane: what a reduction over `axes`, or a scan along one, reads, in its order.
 *
 * @example lanesRead([2, 2], [0]).at // [0, 2, 1, 3]
 */
export function lanesRead(shape: Shape, axes: readonly number[]): LaneTable {
  checkArray('lanesRead', 'shape', shape)
  checkArray('lanesRead', 'axes', axes)
  const lanes = lanesOf(shape, axes)
  return { lanes: lanes.starts.length, length: lanes.length, at: laneTable(lanes) }
}

function laneReads(shape: Shape, axes: readonly number[]): Reads {
  const { length, at } = lanesRead(shape, axes)
  return { at, from: (element) => element * length, count: () => length }
}

function scanReads(shape: Shape, axis: number): Reads {
  checkInteger('reads', 'axis', axis, 0, shape.length - 1)
  const { length, at } = lanesRead(shape, [axis])
  const inner = sizeOf(shape.slice(axis + 1))
  const lane = laneOf(shape, axis)
  return {
    at,
    from: (element) => lane(element) * length,
    count: (element) => (Math.floor(element / inner) % length) + 1,
  }
}

function productReads(a: Shape, b: Shape): [Reads, Reads] {
  const { m, k, n, startsA, startsB } = matricesOf(a, b)
  const all = (): number => k
  return [
    { at: blocks(startsA, [m, k], [k, 1]), from: (element) => Math.floor(element / n) * k, count: all },
    {
      at: blocks(startsB, [n, k], [1, n]),
      from: (element) => (Math.floor(element / (m * n)) * n + (element % n)) * k,
      count: all,
    },
  ]
}

/** The same block of places from each start on. */
function blocks(starts: Int32Array, shape: Shape, strides: readonly number[]): Int32Array {
  const block = offsetsOf(shape, strides)
  const at = new Int32Array(starts.length * block.length)
  let next = 0
  for (const start of starts) for (const place of block) at[next++] = start + place
  return at
}

function wholeReads(shape: Shape): Reads {
  const size = sizeOf(shape)
  return { at: Int32Array.from({ length: size }, (_, i) => i), from: () => 0, count: () => size }
}
