import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { tensor } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/** Options of eye. */
export interface EyeOptions<D extends DType = DType> {
  /** Default: as many as rows. */
  readonly columns?: number
  /** The diagonal of the ones, above the main one if positive. Default 0. */
  readonly k?: number
  /** Default 'float32'. */
  readonly dtype?: D
}

const names: OptionTable<EyeOptions> = { columns: 'optional', k: 'optional', dtype: 'optional' }

/**
 * Ones on a diagonal, zeros elsewhere.
 *
 * @example eye(2).toNested() // [[1,0],[0,1]]
 * @example eye(2, { columns: 3, k: 1 }).toNested() // [[0,1,0],[0,0,1]]
 */
export function eye<D extends DType = 'float32'>(
  rows: number,
  options: EyeOptions<D> = noOptions,
): Tensor<D> {
  checkOptions('eye', options, names, { positional: 'columns' })
  const { columns = rows, k = 0, dtype = 'float32' as D } = options
  checkInteger('eye', 'rows', rows)
  checkInteger('eye', 'columns', columns)
  checkInteger('eye', 'k', k, Number.MIN_SAFE_INTEGER)
  checkInteger('eye', 'the number of elements, rows times columns,', rows * columns, 0, 2 ** 29)
  const values = new Float64Array(rows * columns)
  for (let row = Math.max(0, -k); row < rows && row + k < columns; row++) values[row * columns + row + k] = 1
  return tensor(values, { shape: [rows, columns], dtype })
}
