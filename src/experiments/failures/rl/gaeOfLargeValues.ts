import { checkNumber } from '../../../base/options/index.js'
import { gae } from '../../../models/rl/index.js'
import { key, uniform } from '../../../tensors/random/index.js'
import {
  cast,
  type FloatDType,
  ones,
  slice,
  type Tensor,
  tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The estimates. */
export interface GaeOfLargeValuesOptions extends DTypeOption {
  /** What values lie around; those of a critic that is right are 1 / (1 - 0.99). Default: 100. */
  readonly level?: number
}

const [steps, environments] = [128, 4]

/**
 * Advantages are differences of values: of values around 100 in bfloat16 little is left.
 *
 * Readings  `wrongSigns`: of 512 advantages less their mean those with another sign than in float64, `greatest`: the greatest
 *           advantage. Reward 1 - level (1 - 0.99) beyond the level's share, values within 0.5 of the level; discount 0.99, lambda
 *           0.95. The stable form is float64 of the same values.
 *
 * @example gaeOfLargeValues.run().verdict.holds // true
 */
export const gaeOfLargeValues: Failure<GaeOfLargeValuesOptions> = failure<GaeOfLargeValuesOptions>({
  id: 'gae-of-large-values',
  title: 'Advantages of large values have the wrong sign',
  story:
    'An advantage is what a step brought beyond what was expected: r + gamma V(next) - V, added up over the steps to come. With values around 100 a bfloat16 number is known to half a unit, as much as the advantages themselves, and the discount is another number too. Every term is a difference of nearly equal numbers, and the recursion adds up what is left of them.',
  source: 'https://arxiv.org/abs/1506.02438',
  reported:
    'The paper defines the estimator as a discounted sum of temporal differences, each of them a difference of two values of the critic, and weighs its variance against its bias; what rounding adds is not its subject.',
  repairs: [
    { change: 'the recursion and the values in float32', options: { dtype: 'float32' } },
    { change: 'values less what they lie around, still bfloat16', options: { level: 0 } },
  ],
  cure: {
    none: 'the values are rounded as they are stored, before the recursion, which is a loop and no operations to widen',
  },
  options: { dtype: 'optional', level: 'optional' },
  run({ dtype = 'bfloat16', level = 100 }) {
    checkNumber(this.id, 'level', level, 0, 1e4)
    const [naive, stable] = [advantages(level, dtype), advantages(level, 'float64')]
    const [a, b] = [centred(naive), centred(stable)]
    const wrongSigns = a.filter((x, i) => x > 0 !== b[i]! > 0).length
    const holds = wrongSigns > naive.length / 20
    const firstOf = (x: Float64Array): number[] => Array.from(x.filter((_, i) => i % environments === 0))
    return {
      naive: { wrongSigns, greatest: greatest(naive) },
      stable: { wrongSigns: 0, greatest: greatest(stable) },
      holds,
      text: `${say(wrongSigns)} of ${say(naive.length)} advantages of values around ${say(level)} have the wrong sign in ${dtype}${holds ? '' : ': few'}.`,
      figure: {
        caption: 'The advantages of one environment, less the mean of all.',
        axes: ['step', 'advantage'],
        series: [
          blue('float64 throughout', overSteps(firstOf(b)), 'no dots'),
          red(`all of it in ${dtype}`, overSteps(firstOf(a)), 'no dots'),
        ],
      },
    }
  },
})

/** Of values that are drawn, alike for every dtype, from 2^-10 on. */
function advantages(level: number, dtype: FloatDType): Float64Array {
  const drawn = uniform(key(31), (steps + 1) * environments)
  const noise = tensor(
    Float64Array.from(drawn, (x) => level + Math.round((x - 0.5) * 1024) / 1024),
    { shape: [steps + 1, environments], dtype: 'float64' },
  )
  const shape = [steps, environments]
  const never = zeros(shape, { dtype: 'bool' })
  const reward = ones(shape, { dtype: 'float64' })
  const values: Tensor = cast(slice(noise, [[0, steps]]), dtype)
  const nextValues: Tensor = cast(slice(noise, [[1, steps + 1]]), dtype)
  const input = { rewards: cast(reward, dtype), values, nextValues, terminated: never, truncated: never }
  return gae(input, { gamma: 0.99, lambda: 0.95, dtype }).advantages.toNumbers()
}

const greatest = (x: Float64Array): number => x.reduce((a, b) => Math.max(a, b), -Infinity)

function centred(x: Float64Array): Float64Array {
  const mean = x.reduce((a, b) => a + b, 0) / x.length
  return x.map((value) => value - mean)
}
