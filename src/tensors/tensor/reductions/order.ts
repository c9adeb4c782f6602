import { checkName } from '../../../base/options/index.js'

/** The order in which a reduction adds; where each addition rounds is the accumulation dtype's business. */
export type Order =
  | 'sequential'
  | 'pairwise'
  | 'kahan'
  | 'neumaier'
  | 'associative'
  /** Rows of n, then the row totals by the same rule: 16 is XLA CPU's cumsum. */
  | { readonly blocked: number }
  /** Sums only: windows of n, zero-padded on both sides: 32 is XLA CPU's reduce. */
  | { readonly windowed: number }

/** The orders that are names; `{ blocked: n }` and `{ windowed: n }` go beside them. */
export const orders: readonly Extract<Order, string>[] = [
  'sequential',
  'pairwise',
  'kahan',
  'neumaier',
  'associative',
]

/** Rounds an exact (float64) step to the accumulation dtype. */
export type Round = (value: number) => number

/** Throws a RangeError unless `order` is one. `sums` says that windows are allowed. */
export function checkOrder(op: string, order: Order, sums: boolean): void {
  if (typeof order !== 'object' || order === null) {
    checkName(op, 'order', order, orders)
    return
  }
  const [name, n] = Object.entries(order)[0] ?? ['none', 0]
  if (name !== 'blocked' && name !== 'windowed') throw new RangeError(`${op}: unknown order [${name}]`)
  if (name === 'windowed' && !sums) throw new RangeError(`${op}: only sums go by windows [windowed ${n}]`)
  if (!Number.isInteger(n) || n < 2) {
    throw new RangeError(`${op}: ${name} needs a whole number above 1 [${n}]`)
  }
}
