import { checkName, checkNumber } from '../../base/options/index.js'
import { variance } from '../../numerics/index.js'
import { key, normal } from '../../tensors/random/index.js'
import { add, cast, div, type FloatDType, sqrt, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { bfloat16Draws } from './record/bfloat16Draws.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The variance. */
export interface NegativeVarianceOptions extends DTypeOption {
  /** Default: 'one-pass', E[x^2] - E[x]^2. */
  readonly method?: 'one-pass' | 'two-pass' | 'welford'
  /** The mean of the activations; their variance is 1. Default: 30. */
  readonly mean?: number
}

const n = 256

/**
 * A variance below 0: E[x^2] and E[x]^2 agree in all the digits there are.
 *
 * Readings  `variance` of 256 activations, and `normalised`: one activation one above the mean, 1 / sqrt(variance + 1e-5).
 *           Sums are float32, so that only the two stored means are bfloat16; the stable twin takes two passes.
 *
 * @example Number.isNaN(negativeVariance.run().naive.normalised) // true
 */
export const negativeVariance: Failure<NegativeVarianceOptions> = failure<NegativeVarianceOptions>({
  id: 'negative-variance',
  title: 'E[x^2] - E[x]^2 is negative',
  story:
    'The variance as the mean of squares minus the square of the mean is one pass over the data. With a mean of 30 and a variance of 1 both terms are about 900, where bfloat16 numbers are 4 apart: their difference is a multiple of 4, and can be -4, and the square root of a normalisation makes it NaN. Subtracting the mean first costs a second pass and loses nothing.',
  source: 'https://github.com/google/flax/issues/1491',
  reported:
    'BatchNorm computed mean2 - mean^2, which came out slightly negative, more than its epsilon, so that rsqrt gave NaN; the proposed patch takes the maximum with 0.',
  repairs: [
    { change: 'two passes, still bfloat16', options: { method: 'two-pass' } },
    { change: 'float32', options: { dtype: 'float32' } },
    { change: 'activations with mean 0', options: { mean: 0 } },
  ],
  cure: examination('the variance of 256 activations with mean 30 in one pass', () => {
    const activations = bfloat16Draws(1, [256], { mean: 30 })
    return {
      f: (x: Tensor) => variance(x, { method: 'one-pass', accumulate: 'float32' }),
      inputs: activations,
      question: 'the variance is not negative',
      target: { holds: (g) => g(activations).item() >= 0 },
    }
  }),
  options: { dtype: 'optional', method: 'optional', mean: 'optional' },
  run({ dtype = 'bfloat16', method = 'one-pass', mean = 30 }) {
    checkName(this.id, 'method', method, ['one-pass', 'two-pass', 'welford'])
    checkNumber(this.id, 'mean', mean, -1000, 1000)
    const naive = normalise(mean, dtype, method)
    const stable = normalise(mean, dtype, 'two-pass')
    const holds = naive.variance < 0
    const means = Array.from({ length: 51 }, (_, i) => 2 * i)
    const curve = (way: typeof method) => means.map((x) => ({ x, y: normalise(x, dtype, way).variance }))
    return {
      naive: { variance: naive.variance, normalised: naive.normalised },
      stable: { variance: stable.variance, normalised: stable.normalised },
      holds,
      text: holds
        ? `The variance of ${n} activations with mean ${say(mean)} comes out as ${say(naive.variance)}, and a normalised activation as ${say(naive.normalised)}; in two passes they are ${say(stable.variance)} and ${say(stable.normalised)}.`
        : `The variance of ${n} activations with mean ${say(mean)} comes out as ${say(naive.variance)}, and a normalised activation as ${say(naive.normalised)}.`,
      figure: {
        caption: `The variance of ${n} draws of variance 1, by their mean.`,
        axes: ['mean of the activations', 'variance as computed'],
        series: [blue('two-pass', curve('two-pass'), 'no dots'), red(method, curve(method))],
        markers: [{ x: mean, label: `mean ${say(mean)}` }],
      },
    }
  },
})

function normalise(
  mean: number,
  dtype: FloatDType,
  method: 'one-pass' | 'two-pass' | 'welford',
): { variance: number; normalised: number } {
  const x = cast(add(tensor(normal(key(1), n)), mean), dtype)
  const v = variance(x, { method, accumulate: 'float32' })
  return { variance: v.item(), normalised: div(tensor(1, { dtype }), sqrt(add(v, 1e-5))).item() }
}
