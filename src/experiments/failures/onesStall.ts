import { checkInteger } from '../../base/options/index.js'
import { stableCumsum } from '../../numerics/index.js'
import { cumsum, type FloatDType, type Order, ones, type Tensor } from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'
import { onesToCount, sumOfOnes } from './sumOfOnes.js'

/** How the ones are added. */
export interface OnesStallOptions extends DTypeOption {
  /** Default: 'sequential'. */
  readonly order?: Order
  /** Default: the dtype. */
  readonly accumulate?: FloatDType
  /** How many ones. Default: 1024. */
  readonly n?: number
}

/**
 * A running sum of ones that stops: 256 + 1 lies halfway between 256 and 258, and the tie goes to 256.
 *
 * Readings  `sum`, and `lastChange`: after how many ones the sum changed last. The stable form is `stableCumsum`.
 *
 * @example onesStall.run().naive.sum // 256
 * @example onesStall.run({ dtype: 'float32' }).verdict.holds // false
 */
export const onesStall: Failure<OnesStallOptions> = failure<OnesStallOptions>({
  id: 'ones-stall',
  title: 'A sum of ones stalls at 256',
  story:
    'bfloat16 has 8 significant bits, so above 256 its neighbours are 2 apart. A running sum that has reached 256 is given 257 to round, a tie, and rounds it back to 256: every further 1 is lost. Means, losses and softmax denominators computed so are wrong by any factor.',
  source: 'https://github.com/pytorch/executorch/pull/20090',
  reported:
    'softmax, log_softmax, mean and sum accumulated in the input dtype: in bfloat16 a sum stops around 256, and a uniform softmax over 512 elements gives 1/256 each. Float32 accumulators repaired it.',
  repairs: [
    { change: 'everything in float32', options: { dtype: 'float32' } },
    { change: 'a float32 accumulator, bfloat16 results', options: { accumulate: 'float32' } },
    { change: 'pairwise order, still bfloat16', options: { order: 'pairwise' } },
  ],
  cure: examination('the running sum of 1,024 ones', () => ({
    f: (x: Tensor) => cumsum(x),
    ...onesToCount(),
  })),
  options: { dtype: 'optional', order: 'optional', accumulate: 'optional', n: 'optional' },
  run({ dtype = 'bfloat16', order = 'sequential', accumulate = dtype, n = 1024 }) {
    checkInteger(this.id, 'n', n, 1, 2 ** 20)
    const { running, sum, stallIndex } = sumOfOnes(n, dtype, { order, accumulate })
    const exact = stableCumsum(ones([n], { dtype }), { dtype: 'float32' })
    const holds = sum !== n && stallIndex !== null
    return {
      naive: { sum, lastChange: stallIndex, running },
      stable: { sum: exact.toNumbers()[n - 1]! },
      holds,
      text: holds
        ? `After ${say(stallIndex)} ones the sum is ${say(sum)} and never changes again; ${say(n)} ones make ${say(n)}.`
        : `The sum of ${say(n)} ones is ${say(sum)}.`,
      figure: {
        caption: `Running sums of ones: ${dtype} additions, and float32 ones.`,
        axes: ['ones added', 'running sum'],
        series: [
          blue('exact', overSteps(exact.toNumbers()), 'no dots'),
          red(`added in ${accumulate}`, overSteps(running), 'no dots'),
        ],
        markers: holds ? [{ x: stallIndex, label: `stalls at ${say(sum)}` }] : [],
      },
    }
  },
})
