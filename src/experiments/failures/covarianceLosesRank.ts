import { checkName, checkNumber } from '../../base/options/index.js'
import { covarianceSpectrum, naiveCovariance, stableCovariance } from '../../numerics/index.js'
import { key, normal } from '../../tensors/random/index.js'
import { add, cast, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { bfloat16Draws } from './record/bfloat16Draws.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The covariance. */
export interface CovarianceLosesRankOptions extends DTypeOption {
  /** Default: 'two-pass', everything in the dtype. */
  readonly method?: 'one-pass' | 'two-pass'
  /** The mean of every feature. Default: 100. */
  readonly mean?: number
}

const [n, d] = [512, 8]

/**
 * The covariance of independent features, in bfloat16: one direction is left of eight.
 *
 * Readings  `rank` (eigenvalues above a thousandth of the largest), `effectiveRank`, `largest` eigenvalue, all of them in
 *           `eigenvalues`. The stable form is `stableCovariance` on the same rounded features.
 *
 * @example covarianceLosesRank.run().stable.rank // 8
 */
export const covarianceLosesRank: Failure<CovarianceLosesRankOptions> = failure<CovarianceLosesRankOptions>({
  id: 'covariance-loses-rank',
  title: 'A covariance loses its rank to the mean',
  story:
    'Eight independent features of variance 1 around 100. The mean of 512 of them, summed in bfloat16, stalls far below 100; what is centred with it still carries the rest of the mean, the same in every row, and its outer product drowns the covariance: one direction, where there are eight. Whitening and covariance losses then act on a number that is not in the data.',
  source: 'https://github.com/facebookresearch/faiss/issues/773',
  reported:
    'PCA through the covariance matrix of uncentred float32 data: by catastrophic cancellation the principal direction is right at mean 1,000 and lost at 10,000, where the matrix came out as a plain permutation.',
  repairs: [
    { change: 'float32', options: { dtype: 'float32' } },
    { change: 'features with mean 0', options: { mean: 0 } },
  ],
  cure: examination('the covariance of 8 features with mean 100', () => {
    const features = bfloat16Draws(16, [512, 8], { mean: 100 })
    return {
      f: (z: Tensor) => naiveCovariance(z),
      inputs: features,
      question: 'the covariance has rank 8',
      target: { holds: (g) => covarianceSpectrum(g(features)).rank === 8 },
    }
  }),
  options: { dtype: 'optional', method: 'optional', mean: 'optional' },
  run({ dtype = 'bfloat16', method = 'two-pass', mean = 100 }) {
    checkName(this.id, 'method', method, ['one-pass', 'two-pass'])
    checkNumber(this.id, 'mean', mean, -1000, 1000)
    const z = cast(add(tensor(normal(key(16), n * d), { shape: [n, d] }), mean), dtype)
    const naive = covarianceSpectrum(naiveCovariance(z, { method }))
    const stable = covarianceSpectrum(stableCovariance(z))
    const holds = naive.rank < stable.rank
    const points = (eigenvalues: Float64Array) =>
      Array.from(eigenvalues, (y, i) => ({ x: i + 1, y: Math.max(y, 0) }))
    const readings = (spectrum: typeof naive) => ({
      rank: spectrum.rank,
      effectiveRank: spectrum.effectiveRank,
      largest: spectrum.eigenvalues[0]!,
      eigenvalues: [...spectrum.eigenvalues],
    })
    return {
      naive: readings(naive),
      stable: readings(stable),
      holds,
      text: holds
        ? `${say(d)} independent features of variance 1 and mean ${say(mean)}: the covariance has rank ${say(naive.rank)} and an eigenvalue of ${say(naive.eigenvalues[0]!)}; in float32 rank ${say(stable.rank)}, largest ${say(stable.eigenvalues[0]!)}.`
        : `The covariance of ${say(d)} independent features of mean ${say(mean)} has rank ${say(naive.rank)}, its largest eigenvalue is ${say(naive.eigenvalues[0]!)}.`,
      figure: {
        caption: 'Eigenvalues, in descending order. A ring at the foot is 0 or below.',
        axes: ['eigenvalue', { label: 'size', scale: 'log10' }],
        series: [
          blue('stableCovariance', points(stable.eigenvalues)),
          red(`${dtype}, ${method}`, points(naive.eigenvalues)),
        ],
      },
    }
  },
})
