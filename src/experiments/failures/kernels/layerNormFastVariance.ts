import { checkName, checkNumber } from '../../../base/options/index.js'
import { layerNorm, type VarianceMethod } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  type FloatDType,
  maximum,
  mean as meanOf,
  mul,
  rsqrt,
  square,
  sub,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The layer norm; `dtype` is that of its input and of every step. */
export interface LayerNormFastVarianceOptions extends DTypeOption {
  /** Default: 'fast', E[x^2] - E[x]^2, at least 0. */
  readonly variance?: VarianceMethod
  /** The mean of the activations; their variance is 1. Default: 4000. */
  readonly mean?: number
}

const [rows, n] = [32, 256]
const eps = 1e-6

/**
 * A layer norm in one pass: clamped at 0 it has no NaN, and outputs a thousand times too large.
 *
 * Readings  `largest` output, `zeroVariance`, rows whose outputs are x - mean times 1 / sqrt(eps); `scales`, the root of the mean
 *           square of every row's outputs, which is to be 1. The stable twin takes two passes.
 *
 * @example layerNormFastVariance.run().naive.largest > 1000 // true
 */
export const layerNormFastVariance: Failure<LayerNormFastVarianceOptions> =
  failure<LayerNormFastVarianceOptions>({
    id: 'layer-norm-fast-variance',
    title: 'A layer norm in one pass makes its rows a thousand times too large',
    story:
      'One pass over the data is enough for E[x^2] - E[x]^2, and libraries take it by default. In float32 with a mean of 4000 both terms are 16 million, where numbers are 1 apart and a sum of 256 squares is off by more: the variance, which is 1, comes out as 0, 2 or below 0. A clamp at 0 removes the NaN and hides the rest: a row with variance 0 is multiplied by 1 / sqrt(eps), a thousand. Taking the mean off first, or updating mean and squares together as Welford does, loses nothing.',
    source: 'https://github.com/tracel-ai/burn/issues/5607',
    reported:
      'The fused float32 layer norm of burn-flex takes the variance in one pass: for rows with mean 100 or 1000 and a spread of a thousandth, outputs are off by about 1; two passes or Welford are right, and a clamp only removes the NaN.',
    repairs: [
      { change: 'two passes', options: { variance: 'two-pass' } },
      { change: "Welford's updates", options: { variance: 'welford' } },
      { change: 'float64', options: { dtype: 'float64' } },
      { change: 'activations with mean 0', options: { mean: 0 } },
    ],
    cure: examination('a layer norm of 256 activations with mean 4,000, in one pass', () => {
      const x = activations(4000)
      return {
        f: onePass,
        inputs: x,
        question: 'no output is beyond 10',
        target: {
          holds: (g) =>
            g(x)
              .toNumbers()
              .every((y) => Math.abs(y) < 10),
        },
        narrow: 'float32',
        wide: 'float64',
      }
    }),
    options: { dtype: 'optional', variance: 'optional', mean: 'optional' },
    run({ dtype = 'float32', variance = 'fast', mean = 4000 }) {
      checkName(this.id, 'variance', variance, ['two-pass', 'fast', 'welford'])
      checkNumber(this.id, 'mean', mean, -1e6, 1e6)
      const [naive, stable] = [readings(mean, dtype, variance), readings(mean, dtype, 'two-pass')]
      const holds = naive.largest >= 10
      const off = `The largest of ${say(rows * n)} normalised activations with mean ${say(mean)} is ${say(naive.largest)}`
      return {
        naive,
        stable,
        holds,
        text: holds
          ? `${off}; in ${say(naive.zeroVariance)} of ${say(rows)} rows the variance is 0. In two passes the largest is ${say(stable.largest)}.`
          : `${off}.`,
        figure: {
          caption: 'The root of the mean square of the outputs of every row; it is to be 1.',
          axes: ['row', { label: 'root mean square', scale: 'log10' }],
          series: [blue('two-pass', overSteps(stable.scales)), red(variance, overSteps(naive.scales))],
        },
      }
    },
  })

function activations(mean: number): Tensor<'float32'> {
  return add(normal(key(24), [rows, n]), mean)
}

interface Normed {
  readonly [name: string]: number | readonly number[]
  readonly largest: number
  readonly zeroVariance: number
  readonly scales: readonly number[]
}

function readings(mean: number, dtype: FloatDType, variance: VarianceMethod): Normed {
  const x: Tensor = cast(activations(mean), dtype)
  const out = layerNorm(x as Tensor<FloatDType>, { variance, eps, internal: dtype }).toNumbers()
  const scales = Array.from({ length: rows }, (_, row) => {
    const of = out.subarray(row * n, (row + 1) * n)
    return Math.sqrt(of.reduce((total, y) => total + y * y, 0) / n)
  })
  const largest = out.reduce((most, y) => Math.max(most, Math.abs(y)), 0)
  // Between 1 / sqrt(1 + eps) and 1 / sqrt(eps) there is 2, of a variance of a quarter; 500 is that of 3 eps.
  return { largest, zeroVariance: scales.filter((scale) => scale > 500).length, scales }
}

/** The layer norm written out, every step an operation, for the doctor. */
function onePass(x: Tensor): Tensor {
  const along = { axis: -1, keepDims: true }
  const m = meanOf(x, along)
  const variance = maximum(sub(meanOf(square(x), along), square(m)), tensor(0, { dtype: 'float32' }))
  return mul(sub(x, m), rsqrt(add(variance, tensor(eps, { dtype: 'float32' }))))
}
