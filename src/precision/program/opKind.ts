import { stopGradientOp } from '../../numerics/index.js'
import { type Op, ops } from '../../tensor/index.js'

/**
 * What an operation does to numbers: 'rounds' to its dtype; 'moves' elements without looking at them; picks or changes them
 * 'exactly'; or 'decides': its result jumps, so a shadow follows the computed one.
 */
export type OpKind = 'rounds' | 'moves' | 'exact' | 'decides'

const moving = [
  ops.reshape,
  ops.transpose,
  ops.broadcastTo,
  ops.flip,
  ops.slice,
  ops.take,
  ops.concat,
  ops.tril,
  ops.triu,
]
const exact = [ops.neg, ops.abs, ops.relu, ops.max, ops.min, ops.maximum, ops.minimum, ops.where]
const deciding = [
  ops.sign,
  ops.floor,
  ops.ceil,
  ops.rint,
  ops.trunc,
  ops.argmax,
  ops.argmin,
  ops.equal,
  ops.notEqual,
  ops.less,
  ops.lessEqual,
  ops.greater,
  ops.greaterEqual,
  ops.logicalAnd,
  ops.logicalOr,
  ops.logicalNot,
  ops.isFinite,
  ops.isInf,
  ops.isNaN,
]

const kinds: ReadonlyMap<Op, OpKind> = new Map([
  ...entries(moving, 'moves'),
  [stopGradientOp, 'moves'],
  ...entries(exact, 'exact'),
  ...entries(deciding, 'decides'),
])

function entries(operations: readonly Op[], kind: OpKind): [Op, OpKind][] {
  return operations.map((op) => [op, kind])
}

/** The kind of an operation; one that nobody has heard of rounds. */
export function kindOf(op: Op): OpKind {
  return kinds.get(op) ?? 'rounds'
}
