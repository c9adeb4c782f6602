import { checkNumber } from '../../../base/options/index.js'
import { roundingTo } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The discount. */
export interface DiscountRoundsToOneOptions extends DTypeOption {
  /** Default: 0.999. */
  readonly gamma?: number
}

const steps = 4000

/**
 * The discount .999 is 1 in bfloat16: rewards of any future count alike.
 *
 * Readings  `discount` as rounded, `horizon` 1 / (1 - discount), null where it has no end, `value` of a reward of 1 in each of 4,000
 *           steps, added up in float64.
 *
 * @example discountRoundsToOne.run().naive.discount // 1
 */
export const discountRoundsToOne: Failure<DiscountRoundsToOneOptions> = failure<DiscountRoundsToOneOptions>({
  id: 'discount-rounds-to-one',
  title: 'The discount 0.999 is 1',
  story:
    'Agents weigh rewards by a discount below 1, so that the value of a state is finite. Near 1 bfloat16 numbers are 2^-8 apart: 0.995 becomes 0.99609, 0.999 becomes 1. In a loop that runs in bfloat16 the horizon of 1,000 steps has no end, and values grow with the length of the episode.',
  source: 'https://arxiv.org/abs/1912.01588',
  reported:
    'The Procgen benchmark trains PPO with a discount of 0.999, a horizon of 1,000 steps. The paper trains in float32; the number is one of those that bfloat16 has not.',
  repairs: [
    { change: 'the discount in float32', options: { dtype: 'float32' } },
    { change: 'a discount of 0.99, which becomes 0.98828', options: { gamma: 0.99 } },
  ],
  cure: { none: 'the constant is rounded before any operation: what is to be wide is the number itself' },
  options: { dtype: 'optional', gamma: 'optional' },
  run({ dtype = 'bfloat16', gamma = 0.999 }) {
    checkNumber(this.id, 'gamma', gamma, 0, 1)
    const rounded = roundingTo(dtype)(gamma)
    const [naive, stable] = [values(rounded), values(gamma)]
    const holds = rounded === 1 && gamma < 1
    return {
      naive: { discount: rounded, horizon: rounded === 1 ? null : 1 / (1 - rounded), value: naive.at(-1)! },
      stable: { discount: gamma, horizon: gamma === 1 ? null : 1 / (1 - gamma), value: stable.at(-1)! },
      holds,
      text: holds
        ? `The discount ${gamma} is 1 in ${dtype}: a reward of 1 in each of ${say(steps)} steps is worth ${say(naive.at(-1)!)} instead of ${say(stable.at(-1)!)}.`
        : `The discount ${gamma} is ${say(rounded)} in ${dtype}.`,
      figure: {
        caption: 'The value of a reward of 1 in every step, against how many steps there are.',
        axes: ['steps', 'value'],
        series: [
          blue(`discount ${gamma}`, overSteps(stable), 'no dots'),
          red(`discount in ${dtype}`, overSteps(naive), 'no dots'),
        ],
      },
    }
  },
})

/** The value of a reward of 1 in each of so many steps. */
function values(discount: number): number[] {
  let value = 0
  return Array.from({ length: steps }, () => {
    value = 1 + discount * value
    return value
  })
}
