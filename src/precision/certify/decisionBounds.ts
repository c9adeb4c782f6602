import { broadcastPlaces, type ComparisonName, lanesRead } from '../../tensors/tensor/index.js'
import type { Bounded } from './sumBounds.js'
import { apart, boundOf, up } from './upward.js'

/** Fills in the bounds of an operation that decides, or follows a decision: 0 certain, 1 open, Infinity unknown. */
export type DecisionBound = (args: readonly Bounded[], attributes: unknown, result: Bounded) => void

/** Operand k of result i under broadcasting. */
function reader(
  args: readonly Bounded[],
  result: Bounded,
): (k: number, i: number) => [value: number, bound: number] {
  const places = args.map((x) => broadcastPlaces(x.shape, result.shape))
  return (k, i) => {
    const at = places[k]?.[i] ?? i
    return [args[k]!.values[at]!, args[k]!.bounds[at]!]
  }
}

/** Certain if the operands are further apart than their errors reach, or exact. */
const compares: DecisionBound = (args, _, result) => {
  const read = reader(args, result)
  for (let i = 0; i < result.values.length; i++) {
    const [[a, e], [b, f]] = [read(0, i), read(1, i)]
    // An infinity within a finite distance is exact.
    const endless = e + f < Infinity && (Math.abs(a) === Infinity || Math.abs(b) === Infinity)
    const certain =
      (e === 0 && f === 0) || endless || apart(a, b) > up(up(e + f) + Math.abs(a - b) * 2 ** -50)
    result.bounds[i] = certain ? 0 : openness(e + f)
  }
}

/** 0 certain, 1 open, Infinity unknown, of an operand with this bound. */
function openness(bound: number): number {
  return bound === 0 ? 0 : bound < Infinity ? 1 : Infinity
}

/** Certain if every operand is; open between operands that are one or the other. */
const combines: DecisionBound = (args, _, result) => {
  const read = reader(args, result)
  for (let i = 0; i < result.values.length; i++) {
    result.bounds[i] = args.reduce((open, _, k) => Math.max(open, openness(read(k, i)[1])), 0)
  }
}

/** The element that was picked; where the choice is open, the other one may be the exact result. */
const picks: DecisionBound = (args, _, result) => {
  const read = reader(args, result)
  for (let i = 0; i < result.values.length; i++) {
    const [condition, open] = read(0, i)
    const [yes, no] = [read(1, i), read(2, i)]
    const [picked, other] = condition !== 0 ? [yes, no] : [no, yes]
    const [r] = picked
    result.bounds[i] =
      open === 0 ? picked[1] : boundOf(Math.max(picked[1], up(other[1] + apart(other[0], r))))
  }
}

/** Certain if no other element of the lane could have been the extremum; else any may be, if all are known. */
const position =
  (sign: 1 | -1): DecisionBound =>
  ([x], attributes, result) => {
    const { axes } = attributes as { axes: readonly number[] }
    const { length, at } = lanesRead(x!.shape, axes)
    for (let k = 0; k < result.values.length; k++) {
      const best = at[k * length + result.values[k]!]!
      let [certain, known] = [true, true]
      for (let i = k * length; i < (k + 1) * length; i++) {
        const place = at[i]!
        known &&= x!.bounds[place]! < Infinity
        if (place === best || (x!.bounds[place] === 0 && x!.bounds[best] === 0)) continue
        const ahead = sign * (x!.values[best]! - x!.values[place]!)
        certain &&= ahead * (1 - 2 ** -50) > up(x!.bounds[place]! + x!.bounds[best]!)
      }
      result.bounds[k] = certain ? 0 : known ? length - 1 : Infinity
    }
  }

/** An element's rank is certain if all before it in the order certainly lie on its one side, and all behind on the other. */
const ordering: DecisionBound = ([x], attributes, result) => {
  const { axis, descending } = attributes as { axis: number; descending: boolean }
  const { length, at } = lanesRead(x!.shape, [axis])
  for (let start = 0; start < at.length; start += length) {
    const places = at.slice(start, start + length)
    const ranked = Array.from(places, (place) => places[result.values[place]!]!)
    const exact = ranked.every((place) => x!.bounds[place] === 0)
    const certain = ranked.map(() => true)
    /** Compares each element with the furthest that those passed before may reach; of exact ones the order is known. */
    const pass = (ranks: Iterable<number>, sign: number): void => {
      let [all, open] = [-Infinity, -Infinity]
      for (const rank of ranks) {
        const [value, bound] = [sign * x!.values[ranked[rank]!]!, x!.bounds[ranked[rank]!]!]
        const reach = bound === 0 ? 0 : up(bound + Math.abs(value) * 2 ** -50)
        certain[rank] &&= value - reach > (bound === 0 ? open : all)
        all = Math.max(all, value + reach)
        if (bound !== 0) open = Math.max(open, value + reach)
      }
    }
    if (!exact) {
      pass(certain.keys(), descending ? -1 : 1)
      pass([...certain.keys()].reverse(), descending ? 1 : -1)
    }
    const most = ranked.every((place) => x!.bounds[place]! < Infinity) ? length - 1 : Infinity
    for (const [rank, place] of places.entries()) result.bounds[place] = certain[rank] ? 0 : most
  }
}

/** isNaN and its like: certain while the exact value is known to be a number. */
const inspects: DecisionBound = ([x], _, result) => {
  for (let i = 0; i < result.values.length; i++) result.bounds[i] = x!.bounds[i]! < Infinity ? 0 : Infinity
}

/** Of integers' bits: certain if all that are read are; one bit more may be any number. */
const ofBits: DecisionBound = (args, _, result) => {
  const read = reader(args, result)
  for (let i = 0; i < result.values.length; i++) {
    result.bounds[i] = args.every((_, k) => read(k, i)[1] === 0) ? 0 : Infinity
  }
}

/** The same of all bits of a lane. */
const ofLanes: DecisionBound = ([x], attributes, result) => {
  const { length, at } = lanesRead(x!.shape, (attributes as { axes: readonly number[] }).axes)
  for (let k = 0; k < result.values.length; k++) {
    const lane = at.subarray(k * length, (k + 1) * length)
    result.bounds[k] = lane.every((place) => x!.bounds[place] === 0) ? 0 : Infinity
  }
}

/** The same of elements that are parts of one, or one of several. */
const ofParts: DecisionBound = ([x], _, result) => {
  const [from, to] = [x!.bounds.length, result.bounds.length]
  for (let i = 0; i < Math.max(from, to); i++) {
    const [part, whole] = [
      Math.floor((i * from) / Math.max(from, to)),
      Math.floor((i * to) / Math.max(from, to)),
    ]
    if (x!.bounds[part] !== 0) result.bounds[whole] = Infinity
  }
}

/** The bounds of decisions, and of what follows them. */
export const decisionBounds: Readonly<
  Record<
    | ComparisonName
    | 'where'
    | 'argmax'
    | 'argmin'
    | 'argsort'
    | 'bitwiseAnd'
    | 'bitwiseOr'
    | 'bitwiseXor'
    | 'bitwiseNot'
    | 'leftShift'
    | 'rightShiftArithmetic'
    | 'rightShiftLogical'
    | 'populationCount'
    | 'countLeadingZeros'
    | 'truncDiv'
    | 'bitcast'
    | 'reduceAnd'
    | 'reduceOr'
    | 'reduceXor',
    DecisionBound
  >
> = {
  equal: compares,
  notEqual: compares,
  less: compares,
  lessEqual: compares,
  greater: compares,
  greaterEqual: compares,
  logicalAnd: combines,
  logicalOr: combines,
  logicalNot: combines,
  isFinite: inspects,
  isInf: inspects,
  isNaN: inspects,
  where: picks,
  argmax: position(1),
  argmin: position(-1),
  argsort: ordering,
  bitwiseAnd: ofBits,
  bitwiseOr: ofBits,
  bitwiseXor: ofBits,
  bitwiseNot: ofBits,
  leftShift: ofBits,
  rightShiftArithmetic: ofBits,
  rightShiftLogical: ofBits,
  populationCount: ofBits,
  countLeadingZeros: ofBits,
  truncDiv: ofBits,
  bitcast: ofParts,
  reduceAnd: ofLanes,
  reduceOr: ofLanes,
  reduceXor: ofLanes,
}
