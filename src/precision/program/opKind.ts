import { stopGradientOp } from '../../numerics/index.js'
import { type Op, ops } from '../../tensor/index.js'

/**
 * What an operation does to numbers: 'rounds' to its dtype; 'moves' elements without looking at them; picks or changes them
 * 'exactly'; or 'decides': its result jumps, so a shadow follows the computed one.
 */
export type OpKind = 'rounds' | 'moves' | 'exact' | 'decides'

const moving = 'reshape transpose broadcastTo flip slice take concat tril triu'
const exact = 'neg abs relu max min maximum minimum where'
const deciding =
  'sign floor ceil rint trunc argmax argmin equal notEqual less lessEqual greater greaterEqual logicalAnd logicalOr logicalNot isFinite isInf isNaN'

const kinds: ReadonlyMap<Op, OpKind> = new Map([
  ...entries(moving, 'moves'),
  [stopGradientOp, 'moves'],
  ...entries(exact, 'exact'),
  ...entries(deciding, 'decides'),
])

function entries(names: string, kind: OpKind): [Op, OpKind][] {
  return names.split(' ').map((name) => [ops[name]!, kind])
}

/** The kind of an operation; one that nobody has heard of rounds. */
export function kindOf(op: Op): OpKind {
  return kinds.get(op) ?? 'rounds'
}
