import { checkName } from '../../base/options/index.js'
import type { UnaryName } from '../../numbers/functions/index.js'
import {
  addOp,
  atan2Op,
  divOp,
  hypotOp,
  maximumOp,
  minimumOp,
  mulOp,
  powOp,
  remOp,
  subOp,
} from './elementwise/arithmetic.js'
import { type Bitcasting, bitcastOp } from './elementwise/bitcast.js'
import { integerOps } from './elementwise/bitwise.js'
import { type Casting, castOp } from './elementwise/cast.js'
import { type ComparisonName, comparisonOps } from './elementwise/comparison.js'
import { unaryOps } from './elementwise/unary.js'
import { whereOp } from './elementwise/where.js'
import { concatOp, type Joining } from './layout/combine.js'
import { type Axes, broadcastToOp, flipOp, reshapeOp, type Shaping, transposeOp } from './layout/layout.js'
import { type Slicing, sliceOp } from './layout/slice.js'
import { type Taking, takeOp } from './layout/take.js'
import { type Diagonal, trilOp, triuOp } from './layout/triangle.js'
import type { Accumulation } from './reductions/accumulate.js'
import { argsortOp, type Sorting } from './reductions/argsort.js'
import { reduceAndOp, reduceOrOp, reduceXorOp } from './reductions/bitwise.js'
import { argmaxOp, argminOp, type Extremum, maxOp, minOp } from './reductions/extremum.js'
import { matmulOp } from './reductions/matmul.js'
import { meanOp, type Reduction, sumOp } from './reductions/reduce.js'
import { cumprodOp, cumsumOp, type Scan } from './reductions/scan.js'
import { formOf, roundsOf } from './storage/op.js'
import type { KnownOp, Op } from './storage/tensor.js'

type Elementwise = Readonly<Record<UnaryName | ComparisonName | keyof typeof integerOps, KnownOp>>

/** The record of every operation of this folder, by name. */
export interface Ops extends Elementwise {
  readonly add: KnownOp
  readonly sub: KnownOp
  readonly mul: KnownOp
  readonly div: KnownOp
  readonly minimum: KnownOp
  readonly maximum: KnownOp
  readonly pow: KnownOp
  readonly atan2: KnownOp
  readonly hypot: KnownOp
  readonly rem: KnownOp
  readonly where: KnownOp
  readonly cast: KnownOp<Casting>
  readonly bitcast: KnownOp<Bitcasting>
  readonly reshape: KnownOp<Shaping>
  readonly transpose: KnownOp<Axes>
  readonly broadcastTo: KnownOp<Shaping>
  readonly flip: KnownOp<Axes>
  readonly slice: KnownOp<Slicing>
  readonly take: KnownOp<Taking>
  readonly concat: KnownOp<Joining>
  readonly tril: KnownOp<Diagonal>
  readonly triu: KnownOp<Diagonal>
  readonly sum: KnownOp<Reduction>
  readonly mean: KnownOp<Reduction>
  readonly max: KnownOp<Extremum>
  readonly min: KnownOp<Extremum>
  readonly reduceAnd: KnownOp<Extremum>
  readonly reduceOr: KnownOp<Extremum>
  readonly reduceXor: KnownOp<Extremum>
  readonly argmax: KnownOp<Extremum>
  readonly argmin: KnownOp<Extremum>
  readonly argsort: KnownOp<Sorting>
  readonly cumsum: KnownOp<Scan>
  readonly cumprod: KnownOp<Scan>
  readonly matmul: KnownOp<Accumulation>
}

/** What an operation of this folder is called. */
export type OpName = keyof Ops

/** Something about every operation, or that there is nothing to say: an operation that a table forgets does not compile. */
export type OpTable<R> = { readonly [P in OpName]: R | 'none' }

/** Groups of operations of which most tables have nothing to say: their records' form and rounds say it all. */
interface Groups {
  /** Functions of one element. */
  readonly unary: UnaryName
  /** Elements are moved, or joined. */
  readonly moves:
    | 'reshape'
    | 'transpose'
    | 'broadcastTo'
    | 'flip'
    | 'slice'
    | 'take'
    | 'concat'
    | 'tril'
    | 'triu'
  /** Comparisons, and the places of elements. */
  readonly decides: ComparisonName | 'argmax' | 'argmin' | 'argsort'
  /** Operations on integers and on bits, which know no floats but `bitcast`. */
  readonly bits: keyof typeof integerOps | 'bitcast' | 'reduceAnd' | 'reduceOr' | 'reduceXor'
}

/** The record of every operation of this folder, by name. */
export const ops: Ops = {
  ...unaryOps,
  ...comparisonOps,
  ...integerOps,
  add: addOp,
  sub: subOp,
  mul: mulOp,
  div: divOp,
  minimum: minimumOp,
  maximum: maximumOp,
  pow: powOp,
  atan2: atan2Op,
  hypot: hypotOp,
  rem: remOp,
  where: whereOp,
  cast: castOp,
  bitcast: bitcastOp,
  reshape: reshapeOp,
  transpose: transposeOp,
  broadcastTo: broadcastToOp,
  flip: flipOp,
  slice: sliceOp,
  take: takeOp,
  concat: concatOp,
  tril: trilOp,
  triu: triuOp,
  sum: sumOp,
  mean: meanOp,
  max: maxOp,
  min: minOp,
  reduceAnd: reduceAndOp,
  reduceOr: reduceOrOp,
  reduceXor: reduceXorOp,
  argmax: argmaxOp,
  argmin: argminOp,
  argsort: argsortOp,
  cumsum: cumsumOp,
  cumprod: cumprodOp,
  matmul: matmulOp,
}

/** The names of all operations. */
export const opNames: readonly OpName[] = keysOf(ops)

function keysOf<T extends object>(record: T): Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = []
  for (const key in record) keys.push(key)
  return keys
}

const groups: { readonly [G in keyof Groups]: (name: OpName) => boolean } = {
  unary: (name) => name in unaryOps,
  moves: (name) => ['view', 'concat'].includes(formOf(ops[name])),
  decides: (name) =>
    roundsOf(ops[name]) === 'decides' && !(name in unaryOps || groups.bits(name) || name === 'rem'),
  bits: (name) => name in integerOps || name === 'bitcast' || name.startsWith('reduce'),
}

/**
 * The rows of an `OpTable` that has nothing to say of these groups, to be spread into it: 'unary' functions of one element, what
 * 'moves' elements or joins them, what 'decides': comparisons, argmax, argmin, argsort, and what works on 'bits' and integers alone.
 *
 * @example noRows('moves').reshape // 'none'
 */
export function noRows<G extends keyof Groups>(
  ...chosen: readonly G[]
): { readonly [P in Groups[G]]: 'none' } {
  for (const group of chosen) checkName('noRows', 'group', group, ['unary', 'moves', 'decides', 'bits'])
  const named = opNames.filter((name) => chosen.some((group) => groups[group](name)))
  return Object.fromEntries(named.map((name) => [name, 'none'])) as { readonly [P in Groups[G]]: 'none' }
}

const names: ReadonlyMap<Op, OpName> = new Map(opNames.map((name) => [ops[name], name]))

/**
 * The name of an operation of this folder; undefined for any other record, also one that calls itself the same.
 *
 * @example opName(ops.sum) // 'sum'
 */
export function opName(op: Op): OpName | undefined {
  return names.get(op)
}

/** What a table says of an operation; undefined where that is 'none', and for operations that are not of this folder. */
export function entryOf<R extends object>(table: OpTable<R>, op: Op): R | undefined {
  const name = names.get(op)
  const entry = name && table[name]
  return entry === 'none' ? undefined : entry
}
