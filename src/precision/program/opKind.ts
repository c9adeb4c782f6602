import { formOf, type Op, roundsOf } from '../../tensors/tensor/index.js'

/**
 * What an operation does to numbers: 'rounds' to its dtype; 'moves' elements without looking at them; picks or changes them
 * 'exactly'; or 'decides': its result jumps, so a shadow follows the computed one.
 */
export type OpKind = 'rounds' | 'moves' | 'exact' | 'decides'

/** The kind of an operation, as its record says; one whose record says nothing rounds. */
export function kindOf(op: Op): OpKind {
  const rounds = roundsOf(op)
  if (rounds === 'decides') return 'decides'
  if (rounds !== 'never') return 'rounds'
  const form = formOf(op)
  return form === 'view' || form === 'concat' ? 'moves' : 'exact'
}
