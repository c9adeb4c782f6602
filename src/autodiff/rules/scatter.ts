import {
  type AccumulateOptions,
  apply,
  type KnownOp,
  type Op,
  reshape,
  sizeOf,
  sum,
  Tensor,
  take,
  takeAlongAtOp,
  takeAtOp,
  zeros,
} from '../../tensor/index.js'
import type { GradientRule } from './gradientRule.js'
import { howToSum } from './sumOptions.js'

export interface Scatter {
  /** Where each element of g goes in the flat result. */
  readonly positions: Int32Array
  readonly shape: readonly number[]
  readonly how: Required<AccumulateOptions>
}

/** Elements of g added at their positions, +0 where there are none. */
export const scatterOp: KnownOp<Scatter> = {
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

/**
 * The gradient of an operation that reads elements of a tensor of `shape`, slice or take: every element of g is added
 * where it was read, an element that was read more than once in the order of reading and as `how` says.
 */
export function scatter(
  g: Tensor,
  op: Op,
  attributes: unknown,
  shape: readonly number[],
  how: Required<AccumulateOptions>,
): Tensor {
  const size = shape.reduce((n, length) => n * length, 1)
  // The operation itself, run on the elements' own numbers, says where it reads.
  const places = new Tensor(
    'int32',
    shape,
    Int32Array.from({ length: size }, (_, i) => i),
  )
  const positions = op.kernel([places], attributes).data as Int32Array
  return apply(scatterOp, [g], { positions, shape, how })
}

/** The rule of scatter: read what was added. */
export const scatterRule: GradientRule<Scatter> = ({ g, inputs: [x], attributes: { positions } }) => [
  reshape(take(reshape(g, [g.size]), new Tensor('int32', [positions.length], positions)), x!.shape),
]

/** The readers whose indices are an operand. */
const readers = { takeAt: takeAtOp as Op, takeAlongAt: takeAlongAtOp as Op }

/** What scatterAt is told: how x was read, its shape, and how to add. */
export interface ScatterAt {
  readonly reader: keyof typeof readers
  readonly taking: { readonly axis: number; readonly shape?: readonly number[] }
  readonly shape: readonly number[]
  readonly how: Required<AccumulateOptions>
}

/** scatter for indices that are not known yet: the gradient of take and takeAlongAxis where the function is recorded. */
export const scatterAtOp: KnownOp<ScatterAt> = {
  name: 'scatterAt',
  form: 'whole',
  rounds: 'each step',
  kernel: ([g, indices], { reader, taking, shape, how }) => {
    const places = new Tensor(
      'int32',
      shape,
      Int32Array.from({ length: sizeOf(shape) }, (_, i) => i),
    )
    const positions = readers[reader].kernel([places, indices!], taking).data as Int32Array
    return scatterOp.kernel([g!], { positions, shape, how })
  },
}

/** The rule of a reader with indices as an operand. */
const readAtRule =
  (reader: keyof typeof readers): GradientRule<ScatterAt['taking']> =>
  ({ g, inputs: [x, indices], attributes: taking, sum }) => [
    apply(scatterAtOp, [g, indices!], { reader, taking, shape: x!.shape, how: howToSum(g, sum) }),
  ]

/** The rule of its gradient: read what was added. */
const scatterAtRule: GradientRule<ScatterAt> = ({
  g,
  inputs: [, indices],
  attributes: { reader, taking },
}) => [apply(readers[reader], [g, indices!], taking)]

/** The rules of readers with indices that are recorded. */
export const takeAtRules: readonly (readonly [Op, GradientRule])[] = [
  [readers.takeAt, readAtRule('takeAt')],
  [readers.takeAlongAt, readAtRule('takeAlongAt')],
  [scatterAtOp as Op, scatterAtRule as GradientRule],
]
