import { checkRecord } from '../../../base/options/index.js'

/**
 * Which elements of its operands an element of an operation's result reads:
 *
 * - 'elementwise': the one in step, after broadcasting
 * - 'view': one element of the only operand, or a zero of the operation's own (outside a triangle); looks at none
 * - 'concat': one element of one of several concatenated operands; looks at none
 * - 'reduce': a lane along `attributes.axes`
 * - 'scan': its lane along `attributes.axis`, up to itself
 * - 'dot': a row of the first operand and a column of the second
 * - 'whole': any element of any operand, or what the operation's own `reads` says
 */
export type Form = 'elementwise' | 'view' | 'concat' | 'reduce' | 'scan' | 'dot' | 'whole'

/**
 * When an operation rounds: 'never' (elements are moved, chosen or change their sign), 'once' on the way to its dtype, at
 * 'each step' of a sum or product, or not by degrees at all: its result jumps, it 'decides'.
 */
export type Rounds = 'never' | 'once' | 'each step' | 'decides'

/** What the elements of a result read of one operand: element e the places at[from(e)] to at[from(e) + count(e) - 1]. */
export interface Reads {
  /**
   * Flat places in the operand, in the order in which the operation takes them; -1 where it writes a zero of its own.
   * Undefined where every result element reads the one in step with it: e reads place from(e), which is e.
   */
  readonly at: Int32Array | undefined
  /** Where in `at` the places of a result element begin. */
  from(element: number): number
  /** How many places it reads from there. */
  count(element: number): number
}

/** The form of an operation; one whose record does not say reads everything. */
export function formOf(op: { readonly form?: Form }): Form {
  checkRecord('formOf', 'op', op)
  return op.form ?? 'whole'
}

/** When an operation rounds; one whose record does not say rounds once. */
export function roundsOf(op: { readonly rounds?: Rounds }): Rounds {
  checkRecord('roundsOf', 'op', op)
  return op.rounds ?? 'once'
}
