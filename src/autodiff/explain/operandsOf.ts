import { logAddExpOp, stopGradientOp } from '../../numerics/index.js'
import { broadcastTo, type Op, opNames, ops, Tensor } from '../../tensor/index.js'
import type { GraphNode } from '../graph/graphOf.js'
import { inputOp } from '../graph/graphOf.js'
import { digammaOp } from '../rules/digamma.js'
import { polygammaOp } from '../rules/polygamma.js'
import { scatterOp } from '../rules/scatter.js'

/** For one element of a result, the flat places of the elements it was computed from, for each input. */
export type Operands = (element: number) => readonly (readonly number[])[]

const moving: ReadonlySet<Op> = new Set<Op>([
  ops.reshape,
  ops.transpose,
  ops.broadcastTo,
  ops.flip,
  ops.slice,
  ops.take,
  ops.tril,
  ops.triu,
])
const reducing: ReadonlySet<Op> = new Set<Op>([ops.sum, ops.mean, ops.max, ops.min, ops.argmax, ops.argmin])
const scanning: ReadonlySet<Op> = new Set<Op>([ops.cumsum, ops.cumprod])
const others: ReadonlySet<Op> = new Set<Op>([
  ...moving,
  ...reducing,
  ...scanning,
  ...[ops.concat, ops.matmul],
])
const elementwise: ReadonlySet<Op> = new Set<Op>([
  ...opNames.map((name) => ops[name]).filter((op) => !others.has(op)),
  ...[logAddExpOp, digammaOp, polygammaOp, stopGradientOp, inputOp],
])

/** Which elements of its inputs each element of an operation's result depends on; all, where the operation is foreign. */
export function operandsOf(node: GraphNode, inputs: readonly Tensor[]): Operands {
  const { record, output, attributes } = node
  if (elementwise.has(record)) {
    const maps = inputs.map(({ shape }) => numbersOver(broadcastTo(places(shape), output.shape)))
    return (element) => maps.map((map) => [map[element]!])
  }
  const [x] = inputs as [Tensor]
  if (moving.has(record)) {
    // The operation itself, run on the elements' own numbers from 1, says what it reads; 0 is what it fills in.
    const from = numbersOver(record.kernel([places(x.shape, 1)], attributes))
    return (element) => [from[element] ? [from[element]! - 1] : []]
  }
  if (reducing.has(record)) {
    const { axes } = attributes as { axes: readonly number[] }
    const members = lanes(x, axes)
    return (element) => [members[element]!]
  }
  if (scanning.has(record)) {
    const { axis } = attributes as { axis: number }
    const members = lanes(x, [axis])
    const laneOf = laneNumbers(x, [axis])
    return (element) => [members[laneOf[element]!]!.filter((place) => place <= element)]
  }
  if (record === ops.concat) return concatOperands(inputs, attributes as { axis: number }, record)
  if (record === ops.matmul) return matmulOperands(inputs as [Tensor, Tensor], output)
  if ((record as unknown) === scatterOp) {
    const { positions } = attributes as { positions: Int32Array }
    const members = grouped(positions, output.size)
    return (element) => [members[element]!]
  }
  const all = inputs.map(({ size }) => Array.from({ length: size }, (_, i) => i))
  return () => all
}

/** The elements' own numbers, from `first` on, as a tensor. */
function places(shape: readonly number[], first = 0): Tensor {
  const size = shape.reduce((n, length) => n * length, 1)
  return new Tensor(
    'int32',
    shape,
    Int32Array.from({ length: size }, (_, i) => i + first),
  )
}

const numbersOver = (x: Tensor): Int32Array => x.data as Int32Array

/** For each element of x the number of the lane along `axes` that it is in. */
function laneNumbers(x: Tensor, axes: readonly number[]): Int32Array {
  const kept = x.shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  return numbersOver(broadcastTo(places(kept), x.shape))
}

const lanes = (x: Tensor, axes: readonly number[]): number[][] =>
  grouped(
    laneNumbers(x, axes),
    x.shape.reduce((n, length, axis) => (axes.includes(axis) ? n : n * length), 1),
  )

/** The places that hold each number below `count`. */
function grouped(numbers: Int32Array, count: number): number[][] {
  const groups = Array.from({ length: count }, (): number[] => [])
  for (const [place, number] of numbers.entries()) groups[number]!.push(place)
  return groups
}

function concatOperands(inputs: readonly Tensor[], attributes: { axis: number }, record: Op): Operands {
  let before = 0
  const numbered = inputs.map((x) => {
    const part = places(x.shape, before)
    before += x.size
    return part
  })
  const from = numbersOver(record.kernel(numbered, attributes))
  return (element) => {
    let place = from[element]!
    return inputs.map(({ size }) => {
      const own = place >= 0 && place < size ? [place] : []
      place -= size
      return own
    })
  }
}

function matmulOperands([a, b]: [Tensor, Tensor], output: Tensor): Operands {
  const [m, k] = a.shape.slice(-2) as [number, number]
  const n = b.shape.at(-1)!
  const batch = output.shape.slice(0, -2)
  const matrixOf = ({ shape }: Tensor): Int32Array => {
    const own = shape.slice(0, -2)
    return numbersOver(broadcastTo(places(own), batch))
  }
  const [fromA, fromB] = [matrixOf(a), matrixOf(b)]
  return (element) => {
    const matrix = Math.floor(element / (m * n))
    const row = Math.floor(element / n) % m
    const column = element % n
    const along = Array.from({ length: k }, (_, p) => p)
    return [
      along.map((p) => (fromA[matrix]! * m + row) * k + p),
      along.map((p) => (fromB[matrix]! * k + p) * n + column),
    ]
  }
}
