import { checkArray, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { chiSquareQuantile, normalQuantile, studentQuantile } from './quantile.js'

/** How samples of one number are judged. */
export interface SignificanceOptions {
  /** What they are compared with. Default: their mean. */
  readonly expected?: number
  /** How many of all further results are to keep the bits. Default .95; contributing bits always take .51. */
  readonly probability?: number
  /** How sure that is to be. Default .95. */
  readonly confidence?: number
}

const significanceNames: OptionTable<SignificanceOptions> = {
  expected: 'optional',
  probability: 'optional',
  confidence: 'optional',
}

/** How many bits of a number the samples of it have in common. */
export interface Significance {
  readonly mean: number
  /** Standard deviation, n - 1 below. */
  readonly deviation: number
  /** -log2(deviation / |mean|): a point estimate. */
  readonly plain: number
  /** Significant bits if the errors are normal: at least this many, with the confidence. */
  readonly significant: number
  /** Bits that tilt the result towards what was expected, on the same terms; those after them are noise. */
  readonly contributing: number
  /** The most whole bits that every sample has; no law of errors assumed. */
  readonly general: number
  /** CESTAC's decimal digits. */
  readonly decimalDigits: number
}

/**
 * The significance of samples, with Z = x / expected - 1 (x itself where 0 is expected). Where all samples agree it is
 * Infinity: that says nothing about whether they are right.
 *
 * Source    Sohier, de Oliveira Castro, Févotte, Lathuilière, Petit, Jamond, Confidence intervals for stochastic arithmetic,
 *           doi:10.1145/3432184; Parker, Monte Carlo arithmetic; Vignes, CESTAC
 *
 * @example significance([1, 1.0078125, 0.9921875]).plain // 7
 */
export function significance(samples: ArrayLike<number>, options: SignificanceOptions = {}): Significance {
  checkArray('significance', 'samples', samples)
  checkOptions('significance', options, significanceNames)
  const n = samples.length
  const wrong = Array.from(samples).find((sample) => typeof sample !== 'number')
  if (wrong !== undefined) throw new TypeError(`significance: a sample is not a number [${shown(wrong)}]`)
  if (n < 2) throw new RangeError(`significance: needs two samples or more [${n}]`)
  return estimator(n, options)(samples, options.expected)
}

/** `significance` for many numbers with n samples each: the quantiles, which cost most of it, are found once. */
export function estimator(
  n: number,
  { probability = 0.95, confidence = 0.95 }: Pick<SignificanceOptions, 'probability' | 'confidence'>,
): (samples: ArrayLike<number>, expected?: number) => Significance {
  for (const p of [probability, confidence]) {
    if (!(p > 0 && p < 1)) throw new RangeError(`significance: not between 0 and 1 [${p}]`)
  }
  const shift = 0.5 * Math.log2((n - 1) / chiSquareQuantile((1 - confidence) / 2, n - 1))
  const t = studentQuantile((1 + confidence) / 2, n - 1)
  const width = Math.log2(normalQuantile((1 + probability) / 2))
  return (samples, given) => {
    const list = Array.from(samples)
    const mean = list.reduce((a, b) => a + b, 0) / n
    const deviation = Math.sqrt(list.reduce((total, x) => total + (x - mean) ** 2, 0) / (n - 1))
    const expected = given ?? mean
    const z = list.map((x) => (expected === 0 ? x : x / expected - 1))
    const middle = z.reduce((a, b) => a + b, 0) / n
    const spread = Math.sqrt(z.reduce((total, x) => total + (x - middle) ** 2, 0) / n)
    const furthest = z.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    return {
      mean,
      deviation,
      plain: -Math.log2(deviation / Math.abs(mean)),
      significant: -Math.log2(spread) - shift - width,
      contributing:
        -Math.log2(spread) - shift - Math.log2(0.51 - 0.5) - Math.log2(2 * Math.sqrt(2 * Math.PI)),
      general: Math.max(0, Math.floor(-Math.log2(furthest))),
      decimalDigits: Math.log10((Math.sqrt(n) * Math.abs(mean)) / (t * deviation)),
    }
  }
}

/**
 * How many samples it takes to be so sure that a share `probability` of all results keeps bits which every sample has.
 *
 * @example samplesNeeded(0.9, 0.95) // 29
 */
export function samplesNeeded(probability: number, confidence: number): number {
  for (const [what, value] of Object.entries({ probability, confidence })) {
    if (!(value > 0 && value < 1)) {
      throw new RangeError(`samplesNeeded: ${what} is not between 0 and 1 [${value}]`)
    }
  }
  return Math.ceil(Math.log(1 - confidence) / Math.log(probability))
}
