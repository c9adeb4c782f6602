import {
  apply,
  type KnownOp,
  reshape,
  sizeOf,
  Tensor,
  take,
  takeAlongAxis,
  untraced,
} from '../../../tensors/tensor/index.js'
import { sortedBy } from '../elements/sortedBy.js'
import { integer, region } from '../values/attributes.js'
import { lastOf } from '../values/lastOf.js'
import type { Elements, Frame, Lowering } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { Complex, eachPart, partsOf, shapeOf, type Value } from '../values/value.js'
import { comparatorKeys, type SortKey } from './comparatorKeys.js'

interface Sorting {
  readonly axis: number
}

/**
 * The places along an axis that put elements in order: stable, as int32. The operands are all that is sorted together. By the keys of
 * the elements where the comparison is one of keys.
 */
function sortOrderOp(less: Elements, keys: readonly SortKey[] | undefined): KnownOp<Sorting> {
  return {
    name: 'sortOrder',
    form: 'whole',
    rounds: 'decides',
    kernel: (inputs, { axis }) => {
      const xs = inputs.map(untraced)
      const { shape } = xs[0]!
      const length = shape[axis]!
      const inner = sizeOf(shape.slice(axis + 1))
      const found = keys?.map((key) => key(xs))
      const order =
        found?.every((key) => key !== undefined) === true
          ? sortedBy(found, length, inner, sizeOf(shape))
          : byNetwork(xs, less, length, inner)
      return new Tensor('int32', shape, order)
    },
  }
}

/**
 * The order by comparisons alone: Batcher's odd-even merging network, all comparisons of a stage at once; of elements neither of
 * which is less the one that came first stays first.
 */
function byNetwork(xs: readonly Tensor[], less: Elements, length: number, inner: number): Int32Array {
  const size = xs[0]!.size
  const lanes = length === 0 ? 0 : size / length
  const order = new Int32Array(size)
  const flat = xs.map((x) => reshape(x, [size]))
  const placeOf = (lane: number, i: number): number =>
    (Math.floor(lane / inner) * length + i) * inner + (lane % inner)
  for (let lane = 0; lane < lanes; lane++) for (let i = 0; i < length; i++) order[placeOf(lane, i)] = i
  for (const pairs of stages(length)) {
    const [upper, lower]: [number[], number[]] = [[], []]
    for (let lane = 0; lane < lanes; lane++) {
      for (const [i, j] of pairs) {
        upper.push(placeOf(lane, i))
        lower.push(placeOf(lane, j))
      }
    }
    if (upper.length === 0) continue
    const laneOf = (place: number): number => Math.floor(place / (length * inner)) * inner + (place % inner)
    const elements = (places: readonly number[]): Tensor[] => {
      const at = places.map((place) => placeOf(laneOf(place), order[place]!))
      return flat.map((x) => take(x, at))
    }
    const [a, b] = [elements(upper), elements(lower)]
    const asked = (first: readonly Tensor[], second: readonly Tensor[]): Tensor => {
      const pairsOf = first.flatMap((x, k) => [x, second[k]!])
      return broadcastLanes(less(pairsOf)[0], [upper.length]) as Tensor
    }
    const [isBefore, isAfter] = [asked(a, b), asked(b, a)]
    for (let k = 0; k < upper.length; k++) {
      const [p, q] = [upper[k]!, lower[k]!]
      const isTie = !isBefore.data[k] && !isAfter.data[k]
      if (isTie ? order[p]! > order[q]! : isAfter.data[k]) [order[p], order[q]] = [order[q]!, order[p]!]
    }
  }
  return order
}

/** The stages of Batcher's network for n elements: pairs that are compared at the same time. */
function* stages(n: number): Generator<readonly (readonly [number, number])[]> {
  for (let p = 1; p < n; p *= 2) {
    for (let k = p; k >= 1; k = Math.floor(k / 2)) {
      const pairs: [number, number][] = []
      for (let j = k % p; j <= n - 1 - k; j += 2 * k) {
        for (let i = 0; i <= Math.min(k - 1, n - j - k - 1); i++) {
          if (Math.floor((i + j) / (2 * p)) === Math.floor((i + j + k) / (2 * p))) {
            pairs.push([i + j, i + j + k])
          }
        }
      }
      yield pairs
    }
  }
}

/** The two rows of a comparison, their parts put together again: pairs of parts become pairs of numbers. */
function wholes(pairs: readonly Tensor[], isComplex: readonly boolean[]): readonly Value[] {
  let at = 0
  return isComplex.flatMap((is): Value[] => {
    const from = at
    at += is ? 4 : 2
    const [a, b, c, d] = pairs.slice(from, at)
    return is ? [new Complex(a!, c!), new Complex(b!, d!)] : [a, b]
  })
}

/** `stablehlo.sort`: several operands together, by any comparison. */
export const sort: Lowering = (op, context) => {
  const comparator = region(op)
  const less = context.lifted(comparator)
  const isComplex = op.operands.map(
    ({ type }) => type.kind === 'tensor' && type.element.startsWith('complex'),
  )
  const keys = isComplex.includes(true)
    ? undefined
    : comparatorKeys(comparator, (reduced) => context.lifted(reduced))
  const opOf = lastOf((own: Elements, frame: Frame) =>
    sortOrderOp(
      isComplex.includes(true) ? (pairs) => own(wholes(pairs as Tensor[], isComplex)) : own,
      keys?.map((key) => key(frame)),
    ),
  )
  return (inputs, frame) => {
    const rank = shapeOf(inputs[0]).length
    const given = integer(op, 'dimension', -1)
    const axis = given < 0 ? given + rank : given
    if (rank === 0) return inputs
    const order = apply(opOf(less(frame), frame), inputs.flatMap(partsOf), { axis }) as Tensor<'int32'>
    return inputs.map((value) => eachPart(value, (x) => takeAlongAxis(x, order, { axis })))
  }
}
