import { checkArray, checkInteger } from '../../base/options/index.js'
import { type Shape, Tensor } from '../../tensors/tensor/index.js'
import { rowsIn } from './record.js'

/** The rows of one host: start to end, not included. */
export interface Rows {
  readonly start: number
  readonly end: number
}

/**
 * The share of a host in the rows of a tensor that is divided among hosts: sizes differ by at most one, the larger
 * first. A tensor of no axes is one row, of host 0.
 *
 * @example hostRows([5, 2], 1, 2) // { start: 3, end: 5 }
 */
export function hostRows(shape: Shape, host: number, hosts: number): Rows {
  checkArray('hostRows', 'shape', shape)
  for (const length of shape) checkInteger('hostRows', 'a length', length)
  checkInteger('hostRows', 'hosts', hosts, 1)
  checkInteger('hostRows', 'host', host, 0, hosts - 1)
  const rows = rowsIn(shape)
  const least = Math.floor(rows / hosts)
  const larger = rows % hosts
  const start = host * least + Math.min(host, larger)
  return { start, end: start + least + (host < larger ? 1 : 0) }
}

/** Rows of a tensor, over its own memory. */
export function viewOfRows(x: Tensor, { start, end }: Rows): Tensor {
  const rows = rowsIn(x.shape)
  if (start === 0 && end === rows) return x
  const width = rows === 0 ? 0 : x.size / rows
  return new Tensor(x.dtype, [end - start, ...x.shape.slice(1)], x.data.subarray(start * width, end * width))
}
