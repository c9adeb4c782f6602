import { checkInteger } from '../../base/options/index.js'
import { drift } from '../../numerics/index.js'
import { key, uniform } from '../../tensors/random/index.js'
import { cast, cumsum, type FloatDType, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** How the metric is kept. */
export interface LossMetricStuckOptions extends DTypeOption {
  /** Default: the dtype. */
  readonly accumulate?: FloatDType
  /** Batches. Default: 1200. */
  readonly batches?: number
}

/**
 * A metric that adds up the loss of every batch, until it can grow no more; the count goes on, so that the mean falls.
 *
 * Readings  `total`, `lastChange` (the batch that changed it last), `meanLoss` = total / batches. Losses are uniform in
 *           [9, 12), about log of a vocabulary of 32,000, the same in every batch's expectation: nothing is learned.
 *
 * @example lossMetricStuck.run().naive.total // 4096
 */
export const lossMetricStuck: Failure<LossMetricStuckOptions> = failure<LossMetricStuckOptions>({
  id: 'loss-metric-stuck',
  title: 'A loss metric sticks at 4096 and seems to improve',
  story:
    'From 4096 on bfloat16 numbers are 32 apart, so a loss of 9 to 12, under half of that, no longer changes the total. The number of batches keeps growing, so the reported mean falls like 1/n: a model that learns nothing shows a falling loss.',
  source: 'https://github.com/pytorch/xla/pull/2425',
  reported:
    'The troubleshooting guide gained a warning: with bfloat16 tensors, 4096 + 1 is 4096, so losses and metrics that are accumulated over time stop growing while the number they are divided by does not.',
  repairs: [
    { change: 'a float32 accumulator', options: { accumulate: 'float32' } },
    { change: 'losses in float32', options: { dtype: 'float32' } },
  ],
  cure: examination('the running total of 1,200 losses between 9 and 12', () => {
    const losses = tensor(uniform(key(14), 1200, { minval: 9, maxval: 12 }), { dtype: 'bfloat16' })
    const last = (x: Tensor): number => x.toNumbers().at(-1)!
    const exact = last(cumsum(cast(losses, 'float64')))
    return {
      f: (x: Tensor) => cumsum(x),
      inputs: losses,
      question: 'the total not below nine tenths of the exact one',
      target: { holds: (g) => last(g(losses)) >= 0.9 * exact },
    }
  }),
  options: { dtype: 'optional', accumulate: 'optional', batches: 'optional' },
  run({ dtype = 'bfloat16', accumulate = dtype, batches = 1200 }) {
    checkInteger(this.id, 'batches', batches, 1, 2 ** 20)
    const losses = tensor(uniform(key(14), batches, { minval: 9, maxval: 12 }), { dtype })
    const totals = cumsum(losses, { accumulate })
    const exact = cumsum(tensor(losses.toNumbers(), { dtype: 'float64' })).toNumbers()
    const running = totals.toNumbers()
    const total = running[batches - 1]!
    const { stallIndex } = drift(totals, exact)
    const [meanLoss, trueMean] = [total / batches, exact[batches - 1]! / batches]
    const holds = stallIndex !== null && total < 0.9 * exact[batches - 1]!
    return {
      naive: { total, lastChange: stallIndex, meanLoss },
      stable: { total: exact[batches - 1]!, meanLoss: trueMean },
      holds,
      text: holds
        ? `Batch ${say(stallIndex)} is the last that changes the total, ${say(total)}; after ${say(batches)} batches the metric says ${say(meanLoss)}, the mean loss is ${say(trueMean)}.`
        : `After ${say(batches)} batches the metric says ${say(meanLoss)}, the mean loss is ${say(trueMean)}.`,
      figure: {
        caption: `The mean loss so far, as a total in ${accumulate} gives it and as it is.`,
        axes: ['batches', 'reported mean loss'],
        series: [
          blue('true mean', means(exact), 'no dots'),
          red(`total in ${accumulate}`, means(running), 'no dots'),
        ],
        markers: holds ? [{ x: stallIndex, label: `total sticks at ${say(total)}` }] : [],
      },
    }
  },
})

function means(totals: Float64Array): { x: number; y: number }[] {
  return [...overSteps(totals.map((total, i) => total / (i + 1)))]
}
