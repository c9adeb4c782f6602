import {
  checkArray,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import type { Features } from './tradingFeatures.js'

/** Options of `fitScaler`: rows of the series. */
export interface FitScalerOptions {
  /** First row that is seen. Default: the first that has features. */
  readonly from?: number
  /** Row before which it ends: the rows of training, and none of those that it is evaluated on. */
  readonly to: number
}

/** A mean and a deviation for each feature. */
export interface Scaler {
  readonly mean: Float64Array
  readonly std: Float64Array
  /** (x - mean) / std of rows of features, rounded once to float32. */
  apply(values: Float64Array): Float32Array
}

const fitScalerNames: OptionTable<FitScalerOptions> = { from: 'optional', to: 'required' }

/**
 * Mean and deviation of each feature over the rows of training. Fitted on all rows it would leak the future into the past.
 *
 * Shape     of n features two arrays [n].
 * Rounding  float64, two passes, divided by the number of rows.
 * Special   a feature that is the same in every row (max = min) has that as its mean and the deviation 1: it becomes 0.
 * Throws    RangeError for rows without features, and for none.
 *
 * @example fitScaler({ names: ['a'], firstRow: 0, values: Float64Array.of(1, 3, 8) }, { to: 2 }).mean // 2
 */
export function fitScaler(features: Features, options: FitScalerOptions): Scaler {
  checkRecord('fitScaler', 'features', features, ['names', 'firstRow', 'values'])
  checkOptions('fitScaler', options, fitScalerNames, { positional: 'to' })
  const { names, firstRow, values } = features
  checkArray('fitScaler', 'names', names)
  checkArray('fitScaler', 'values', values)
  checkInteger('fitScaler', 'firstRow', firstRow)
  const width = names.length
  const last = firstRow + values.length / width
  const { from = firstRow, to } = options
  checkInteger('fitScaler', 'from', from, firstRow, last - 1)
  checkInteger('fitScaler', 'to', to, from + 1, last)
  const mean = new Float64Array(width)
  const std = new Float64Array(width)
  for (let j = 0; j < width; j++) {
    const column = Float64Array.from(
      { length: to - from },
      (_, i) => values[(from - firstRow + i) * width + j]!,
    )
    ;[mean[j], std[j]] = column.every((x) => x === column[0]) ? [column[0]!, 1] : moments(column)
  }
  return {
    mean,
    std,
    apply: (rows) => Float32Array.from(rows, (x, i) => (x - mean[i % width]!) / std[i % width]!),
  }
}

function moments(x: Float64Array): [mean: number, std: number] {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length
  return [mean, Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length)]
}
