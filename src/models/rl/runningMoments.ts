import { checkArray, checkInteger, checkNumber, checkRecord, shown } from '../../base/options/index.js'

/** Means and variances of columns, and of how many rows. */
export interface RunningMoments {
  readonly count: number
  readonly mean: Float64Array
  readonly variance: Float64Array
}

/**
 * Moments of no rows yet, as Stable-Baselines3 starts them: 1e-4 rows of mean 0 and variance 1.
 *
 * @example runningMoments(2).variance // 1,1
 */
export function runningMoments(columns: number): RunningMoments {
  checkInteger('runningMoments', 'columns', columns, 1, 2 ** 24)
  return { count: 1e-4, mean: new Float64Array(columns), variance: new Float64Array(columns).fill(1) }
}

/**
 * Moments and those of more rows as one, by their counts.
 *
 * Dtype     float64.
 * Throws    RangeError for numbers that are not whole rows.
 * Source    Chan, Golub, LeVeque, Algorithms for computing the sample variance, doi:10.1080/00031305.1983.10483115
 *
 * @example mergeMoments(runningMoments(1), [3, 5]).mean[0].toFixed(3) // '4.000'
 */
export function mergeMoments(moments: RunningMoments, rows: ArrayLike<number>): RunningMoments {
  checkRecord('mergeMoments', 'moments', moments, ['count', 'mean', 'variance'])
  checkArray('mergeMoments', 'rows', rows)
  checkNumber('mergeMoments', 'count', moments.count, 0)
  checkArray('mergeMoments', 'mean', moments.mean)
  checkArray('mergeMoments', 'variance', moments.variance)
  const wrong = Array.from<unknown>(rows).find((value) => typeof value !== 'number')
  if (wrong !== undefined) {
    throw new TypeError(`mergeMoments: a value of rows is not a number [${shown(wrong)}]`)
  }
  const width = moments.mean.length
  if (moments.variance.length !== width) {
    throw new RangeError(
      `mergeMoments: means and variances are not as many [${width} and ${moments.variance.length}]`,
    )
  }
  const n = rows.length / width
  if (!Number.isInteger(n)) {
    throw new RangeError(`mergeMoments: not whole rows of ${width} numbers [${shown(rows.length)}]`)
  }
  if (n === 0) return moments
  const count = moments.count + n
  const mean = new Float64Array(width)
  const variance = new Float64Array(width)
  for (let j = 0; j < width; j++) {
    const column = Float64Array.from({ length: n }, (_, i) => rows[i * width + j]!)
    const centre = column.reduce((a, b) => a + b, 0) / n
    const squares = column.reduce((a, b) => a + (b - centre) ** 2, 0)
    const apart = centre - moments.mean[j]!
    mean[j] = moments.mean[j]! + (apart * n) / count
    variance[j] =
      (moments.variance[j]! * moments.count + squares + (apart * apart * moments.count * n) / count) / count
  }
  return { count, mean, variance }
}
