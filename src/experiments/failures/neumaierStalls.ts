import { checkInteger } from '../../base/options/index.js'
import { cumsum, type Order, type Tensor } from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'
import { onesToCount, sumOfOnes } from './sumOfOnes.js'

/** How the ones are added. */
export interface NeumaierStallsOptions extends DTypeOption {
  /** Default: 'neumaier'. */
  readonly order?: Order
  /** How many ones. Default: 1024. */
  readonly n?: number
}

/**
 * Compensated summation that stops: Neumaier's correction is a plain running sum and stalls like one.
 *
 * Readings  `sum`, and `lastChange`: after how many ones it changed last. The stable form is Kahan's order.
 *
 * @example neumaierStalls.run().naive.sum // 512
 */
export const neumaierStalls: Failure<NeumaierStallsOptions> = failure<NeumaierStallsOptions>({
  id: 'neumaier-stall',
  title: "Neumaier's compensated sum stalls too, at 512",
  story:
    "Neumaier's variant keeps what each addition loses in a second sum and adds it at the end. The sum stalls at 256, after which every 1 goes into the correction, until that stalls at 256 as well: 512, and no further. Kahan's older form feeds the correction into the next addend, where it is always small, and does not stall.",
  source: 'https://github.com/JuliaMath/KahanSummation.jl/issues/23',
  reported:
    "Ten million equal float32 values: the package's sum_kbn (Neumaier) is 0.5 % off, the plain pairwise sum is right, and so is Kahan's original form; the running correction itself loses.",
  repairs: [
    { change: "Kahan's order, still bfloat16", options: { order: 'kahan' } },
    { change: 'float32', options: { dtype: 'float32' } },
  ],
  cure: examination('the compensated running sum of 1,024 ones', () => ({
    f: (x: Tensor) => cumsum(x, { order: 'neumaier' }),
    ...onesToCount(),
  })),
  options: { dtype: 'optional', order: 'optional', n: 'optional' },
  run({ dtype = 'bfloat16', order = 'neumaier', n = 1024 }) {
    checkInteger(this.id, 'n', n, 1, 2 ** 20)
    const { running, sum, stallIndex } = sumOfOnes(n, dtype, { order })
    const kahan = sumOfOnes(n, dtype, { order: 'kahan' }).running
    const plain = sumOfOnes(n, dtype, {}).running
    const holds = sum !== n && stallIndex !== null
    return {
      naive: { sum, lastChange: stallIndex, running },
      stable: { sum: kahan[n - 1]!, running: kahan },
      holds,
      text: holds
        ? `After ${say(stallIndex)} ones the compensated sum is ${say(sum)} and never changes again; the plain sum ends at ${say(plain[n - 1]!)}, Kahan's at ${say(kahan[n - 1]!)}.`
        : `The sum of ${say(n)} ones is ${say(sum)}.`,
      figure: {
        caption: `Running sums of ones in ${dtype}, by the order of the additions.`,
        axes: ['ones added', 'running sum'],
        series: [
          blue('kahan', overSteps(kahan), 'no dots'),
          red(orderName(order), overSteps(running), 'no dots'),
          { name: 'sequential', color: 'grey', points: overSteps(plain), dashed: true },
        ],
        markers: holds ? [{ x: stallIndex, label: `stalls at ${say(sum)}` }] : [],
      },
    }
  },
})

function orderName(order: Order): string {
  return typeof order === 'string' ? order : Object.entries(order).join('').replace(',', ' ')
}
