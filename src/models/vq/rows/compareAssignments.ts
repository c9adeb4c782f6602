import { noOptions } from '../../../base/options/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { type AssignOptions, assign, vectorsOf } from './assign.js'
import { distance, nearest } from './nearest.js'

/** What a way of comparing did to codes. */
export interface AssignmentComparison {
  /** Rows that have another code than the real distances give. */
  readonly wrong: number
  /** Their share. */
  readonly wrongShare: number
  /** How much more squared error all rows have together, as a share of the least there is. */
  readonly excessError: number
  /** The rows themselves, the first 100. */
  readonly rows: readonly number[]
}

/**
 * The codes of one way of comparing against those of the real Euclidean distances.
 *
 * Rounding  errors in float64.
 * Throws    as `assign`.
 *
 * @example compareAssignments(tensor([[0], [3]]), tensor([[0], [3]]), { dtype: 'bfloat16' }).wrong // 0
 */
export function compareAssignments(
  x: Tensor,
  codebook: Tensor,
  options: AssignOptions = noOptions,
): AssignmentComparison {
  const codes = assign(x, codebook, options).data
  const rows = vectorsOf('compareAssignments', 'x', x)
  const table = vectorsOf('compareAssignments', 'codebook', codebook)
  const exact = nearest(rows, table, 'euclidean')
  const { n, d } = rows
  let [wrong, least, given] = [0, 0, 0]
  const places: number[] = []
  for (let i = 0; i < n; i++) {
    least += exact.costs[i]!
    given += distance(rows.values, i * d, table.values, codes[i]! * d, d)
    if (codes[i] === exact.codes[i]) continue
    wrong++
    if (places.length < 100) places.push(i)
  }
  const excessError = given === least ? 0 : given / least - 1
  return { wrong, wrongShare: n === 0 ? 0 : wrong / n, excessError, rows: places }
}
