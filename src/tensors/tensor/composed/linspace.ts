import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { tensor } from '../storage/create.js'
import type { DType } from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'

/** Options of linspace. */
export interface LinspaceOptions<D extends DType = DType> {
  /** Whether the last number is `stop`. Default true. */
  readonly endpoint?: boolean
  /** Default 'float32'. */
  readonly dtype?: D
}

const names: OptionTable<LinspaceOptions> = { endpoint: 'optional', dtype: 'optional' }

/**
 * So many numbers in equal steps, as NumPy's linspace.
 *
 * Rounding  start + i step in float64, i step and the sum rounded; then once to the dtype. The last is `stop` itself.
 *
 * @example linspace(0, 1, 5).toNested() // [0,0.25,0.5,0.75,1]
 * @example linspace(0, 1, 4, { endpoint: false }).toNested() // [0,0.25,0.5,0.75]
 */
export function linspace<D extends DType = 'float32'>(
  start: number,
  stop: number,
  count: number,
  options: LinspaceOptions<D> = noOptions,
): Tensor<D> {
  checkOptions('linspace', options, names)
  const { endpoint = true, ...how } = options
  checkNumber('linspace', 'start', start)
  checkNumber('linspace', 'stop', stop)
  checkInteger('linspace', 'count', count)
  const step = (stop - start) / Math.max(1, endpoint ? count - 1 : count)
  const values = Float64Array.from({ length: count }, (_, i) => i * step + start)
  if (endpoint && count > 1) values[count - 1] = stop
  return tensor(values, how)
}
