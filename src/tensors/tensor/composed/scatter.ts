import { concat } from '../layout/combine.js'
import { reshape } from '../layout/layout.js'
import { type Taking, take, takeAtOp } from '../layout/take.js'
import type { AccumulateOptions } from '../reductions/accumulate.js'
import { sum } from '../reductions/reduce.js'
import { zeros } from '../storage/create.js'
import { type Shape, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'

/** The attributes of scatter. */
export interface Scattering {
  /** Where each element of g goes in the flat result. */
  readonly positions: Int32Array
  readonly shape: Shape
  readonly how: Required<AccumulateOptions>
}

/** Elements of g added at their positions, +0 where there are none. */
const scatterOp: KnownOp<Scattering> = {
  name: 'scatter',
  form: 'whole',
  rounds: 'each step',
  kernel: ([g], { positions, shape, how }) => {
    const result = zeros(shape, { dtype: g!.dtype })
    const { once, groups } = grouped(positions, result.size)
    const from = g!.data
    for (const i of once) result.data[positions[i]!] = from[i]!
    for (const [count, places] of groups) {
      const flat = reshape(new Tensor(g!.dtype, g!.shape, from), [from.length])
      const rows = take(flat, places)
      const sums = sum(reshape(rows, [places.length / count, count]), { ...how, axis: 1 })
      for (let k = 0; k < sums.size; k++) result.data[positions[places[k * count]!]!] = sums.data[k]!
    }
    return result
  },
  parts: ([g], { positions, shape, how }) => {
    const { length } = positions
    const flat = reshape(g!, [length])
    const { once, groups } = grouped(positions, sizeOf(shape))
    // Elements, sums of those that share a position, and last the zero of the others.
    const pieces = [flat]
    let end = length
    const made: (readonly [position: number, piece: number])[] = once.map((i) => [positions[i]!, i])
    for (const [count, places] of groups) {
      const rows = take(flat, new Tensor('int32', [places.length], Int32Array.from(places)))
      pieces.push(sum(reshape(rows, [places.length / count, count]), { ...how, axis: 1 }))
      for (let k = 0; k < places.length; k += count) made.push([positions[places[k]!]!, end++])
    }
    const from = new Int32Array(sizeOf(shape)).fill(end)
    for (const [position, piece] of made) from[position] = piece
    const all = concat([...pieces, zeros([1], { dtype: g!.dtype })])
    return reshape(take(all, new Tensor('int32', [from.length], from)), shape)
  },
  reads: ({ positions }, _, shape) => {
    const at = Int32Array.from(positions.keys()).sort((i, j) => positions[i]! - positions[j]! || i - j)
    const counts = new Int32Array(sizeOf(shape))
    for (const position of positions) counts[position]!++
    const starts = new Int32Array(counts.length)
    for (let i = 1; i < starts.length; i++) starts[i] = starts[i - 1]! + counts[i - 1]!
    return [{ at, from: (element) => starts[element]!, count: (element) => counts[element]! }]
  },
}

/**
 * Which elements are alone at their position, and the others by how many share one: for each such count the elements,
 * position after position, each position's in their own order.
 */
function grouped(
  positions: Int32Array,
  size: number,
): { once: number[]; groups: ReadonlyMap<number, number[]> } {
  const counts = new Int32Array(size)
  for (const position of positions) counts[position]!++
  const once: number[] = []
  const shared = new Map<number, number[]>()
  for (const [i, position] of positions.entries()) {
    if (counts[position] === 1) once.push(i)
    else if (shared.has(position)) shared.get(position)!.push(i)
    else shared.set(position, [i])
  }
  const groups = new Map<number, number[]>()
  for (const [, elements] of [...shared].sort(([a], [b]) => a - b)) {
    const group = groups.get(elements.length)
    if (group) group.push(...elements)
    else groups.set(elements.length, elements)
  }
  return { once, groups }
}

/** The attributes of scatterAt: how x was read, its shape, and how to add. */
export interface ScatteringAt {
  readonly taking: Omit<Taking, 'indices'>
  readonly shape: Shape
  readonly how: Required<AccumulateOptions>
}

/** scatter with indices that are not known yet: an operand beside g, where the function is compiled. */
const scatterAtOp: KnownOp<ScatteringAt> = {
  name: 'scatterAt',
  form: 'whole',
  rounds: 'each step',
  kernel: ([g, indices], { taking, shape, how }) => {
    const places = new Tensor(
      'int32',
      shape,
      Int32Array.from({ length: sizeOf(shape) }, (_, i) => i),
    )
    const positions = takeAtOp.kernel([places, indices!], taking).data as Int32Array
    return scatterOp.kernel([g!], { positions, shape, how })
  },
}

/** The records of what reads and adds elements by their places, beside `ops`, which programs are written in. */
export const indexedOps: {
  readonly takeAt: KnownOp<Omit<Taking, 'indices'>>
  readonly scatter: KnownOp<Scattering>
  readonly scatterAt: KnownOp<ScatteringAt>
} = { takeAt: takeAtOp, scatter: scatterOp, scatterAt: scatterAtOp }
