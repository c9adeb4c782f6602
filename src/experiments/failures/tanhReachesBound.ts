import { checkNumber } from '../../base/options/index.js'
import { boundedClockBias } from '../../numerics/index.js'
import { type FloatDType, mul, square, sub, tanh, tensor } from '../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The bounded parameter. */
export interface TanhReachesBoundOptions extends DTypeOption {
  /** The bound. Default: 0.5. */
  readonly maxDelta?: number
  /** The largest raw value looked at. Default: 8. */
  readonly limit?: number
}

/**
 * A parameter bounded by tanh that reaches its bound and has no gradient there.
 *
 * Readings  `reached`: the smallest raw value, in steps of 1/64, whose bias is the bound itself; `slope` there,
 *           maxDelta (1 - tanh^2). The stable form is float32.
 *
 * @example tanhReachesBound.run().naive.reached // 3.46875
 */
export const tanhReachesBound: Failure<TanhReachesBoundOptions> = failure<TanhReachesBoundOptions>({
  id: 'tanh-reaches-bound',
  title: 'A tanh bias reaches its bound, where nothing moves it',
  story:
    'tanh(raw) maxDelta keeps a learned correction inside a bound that it is never meant to touch. In bfloat16 tanh is exactly 1 from 3.46875 on: the correction sits on its bound, the slope 1 - tanh^2 is exactly 0, and no gradient can bring it back. In float32 the same happens above 9.',
  source: 'https://github.com/tensorflow/agents/pull/166',
  reported:
    'In float32 tanh(9.01) is 1, which cannot be inverted, and a sample that large is not rare: the inverse of the tanh bijector had to be made safe.',
  repairs: [
    { change: 'float32', options: { dtype: 'float32' } },
    { change: 'raw values kept within 3', options: { limit: 3 } },
  ],
  cure: { none: 'the result itself has no bfloat16 number below its bound that is near enough' },
  options: { dtype: 'optional', maxDelta: 'optional', limit: 'optional' },
  run({ dtype = 'bfloat16', maxDelta = 0.5, limit = 8 }) {
    checkNumber(this.id, 'limit', limit, 1 / 64, 100)
    const raws = Array.from({ length: Math.floor(64 * limit) + 1 }, (_, i) => i / 64)
    const naive = biases(raws, dtype, maxDelta)
    const stable = biases(raws, 'float32', maxDelta)
    const at = naive.atBound
    const holds = at !== -1
    const last = raws.length - 1
    const shown = raws.map((_, i) => i).filter((i) => i % 8 === 0)
    const points = (slopes: Float64Array) => shown.map((i) => ({ x: raws[i]!, y: slopes[i]! }))
    return {
      naive: { reached: holds ? raws[at]! : null, slope: naive.slopes[holds ? at : last]! },
      stable: {
        reached: stable.atBound === -1 ? null : raws[stable.atBound]!,
        slope: stable.slopes[holds ? at : last]!,
      },
      holds,
      text: holds
        ? `From raw = ${say(raws[at]!)} on the bias is the bound ${say(naive.bound)} itself and its slope ${say(naive.slopes[at]!)}; in float32 the slope there is ${say(stable.slopes[at]!)}.`
        : `Up to raw = ${say(raws[last]!)} the bias stays inside ${say(naive.bound)}; the slope there is ${say(naive.slopes[last]!)}.`,
      figure: {
        caption: 'The slope of the bias. A ring at the foot is 0.',
        axes: ['raw', { label: 'slope', scale: 'log10' }],
        series: [blue('float32', points(stable.slopes), 'no dots'), red(dtype, points(naive.slopes))],
        markers: holds ? [{ x: raws[at]!, label: `at the bound from ${say(raws[at]!)}` }] : [],
      },
    }
  },
})

function biases(
  raws: readonly number[],
  dtype: FloatDType,
  maxDelta: number,
): { atBound: number; bound: number; slopes: Float64Array } {
  const raw = tensor(raws, { dtype })
  const bound = tensor(maxDelta, { dtype }).item()
  const slopes = mul(sub(1, square(tanh(raw))), maxDelta).toNumbers()
  const values = boundedClockBias(raw, { maxDelta }).toNumbers()
  return { atBound: values.findIndex((value) => value >= bound), bound, slopes }
}
