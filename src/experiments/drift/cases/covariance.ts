import { readable } from '../../../base/text/index.js'
import { covarianceSpectrum, naiveCovariance, stableCovariance } from '../../../numerics/index.js'
import { cast, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactCovariance } from '../lab/reference.js'
import { sequence } from '../lab/sequences.js'

const means = [0, 10, 100] as const
const columns = 8

function effectiveRank(result: Tensor): number | null {
  return result.toNumbers().every(Number.isFinite) ? covarianceSpectrum(result).effectiveRank : null
}

/** The covariance matrix of samples around a mean that is large beside their spread. */
export const covarianceCase: Operation = {
  name: 'covariance',
  title: 'Covariance',
  about: `The ${columns} x ${columns} covariance of n samples: standard normal numbers, each column two parts its own and one part common, around a mean. Naive: mean, centring, products and sums each rounded to the dtype; "one-pass" subtracts the product of the means from the mean product; "float32 sums" is naive with sums in float32. Stable: all in float32, rounded to the dtype once.`,
  lengthName: 'samples',
  lengths: powersOfTwo(16, 65_536),
  running: false,
  growth: 'maxAbs',
  trials: (lab) => {
    const longest = lab.lengths.at(-1) ?? 0
    const common = normalDraws(lab.seed, 1, longest)
    const own = normalDraws(lab.seed, 2, longest * columns)
    return means.flatMap((mean) => {
      const samples = own.map((z, i) => mean + (2 * z + common[Math.floor(i / columns)]!) / Math.sqrt(5))
      const { values } = sequence('normal', samples, lab.dtype)
      return lab.lengths.map((length) => () => {
        const part = values.subarray(0, length * columns)
        const z = tensor(part, { dtype: lab.dtype, shape: [length, columns] })
        return {
          variant: `mean ${mean}`,
          input: 'normal',
          length,
          reference: exactCovariance(part, length, columns),
          ways: [
            { name: 'naive', role: 'naive' as const, compute: () => naiveCovariance(z), effectiveRank },
            {
              name: 'one-pass',
              role: 'other' as const,
              compute: () => naiveCovariance(z, { method: 'one-pass' }),
              effectiveRank,
            },
            {
              name: 'float32 sums',
              role: 'other' as const,
              compute: () => naiveCovariance(z, { accumulate: 'float32' }),
              effectiveRank,
            },
            {
              name: 'stable',
              role: 'stable' as const,
              compute: () => cast(stableCovariance(z), lab.dtype),
              effectiveRank,
            },
          ],
        }
      })
    })
  },
  finding: (rows, dtype) => {
    const naive = atLongest(rows, { variant: 'mean 100', way: 'naive' })
    const stable = atLongest(rows, { variant: 'mean 100', way: 'stable' })
    if (!naive || !stable) return ''
    const ranks =
      naive.effectiveRank === null || stable.effectiveRank === null
        ? ''
        : ` Of ${columns} directions naive keeps ${readable(naive.effectiveRank)}, stable ${readable(stable.effectiveRank)} (effective rank).`
    return `Around a mean of 100, ${readable(naive.length)} samples give a variance of ${formatNumber(naive.last)} in ${dtype} step by step, where ${formatNumber(naive.lastReference)} is right; in float32, rounded once, ${formatNumber(stable.last)}.${ranks}`
  },
  figures: () =>
    means.map((mean) => ({
      input: 'normal',
      variant: `mean ${mean}`,
      measure: 'maxAbs' as const,
      caption: `The worst of the ${columns * columns} entries, samples around ${mean}; before rounding to the dtype they are about 1 and 0.2.`,
    })),
}
