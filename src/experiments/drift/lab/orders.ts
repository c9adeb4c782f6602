import type { Order } from '../../../tensors/tensor/index.js'

/** The orders of a running sum besides the sequential one, by the names that the report gives them. */
export const otherOrders: Readonly<Record<string, Order>> = {
  pairwise: 'pairwise',
  kahan: 'kahan',
  neumaier: 'neumaier',
  associative: 'associative',
  'blocked 16': { blocked: 16 },
}
