import { logSoftmax } from '../../numerics/index.js'
import { type FloatDType, neg, slice, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The loss. */
export interface LogSoftmaxCollapseOptions extends DTypeOption {
  /** The dtype inside log-softmax. Default: the dtype, op by op. */
  readonly internal?: 'float32' | 'float64'
}

/**
 * A cross entropy that is exactly 0 long before it is small: log(1 + e^-m) with 1 + e^-m rounded to 1.
 *
 * Readings  `firstZero`: the smallest margin, in steps of 1/4 up to 12, from which the loss of two classes is 0, `loss`
 *           there, and the `losses` of all margins. The stable twin computes in float32 inside and rounds once.
 *
 * @example logSoftmaxCollapse.run().naive.loss // 0
 */
export const logSoftmaxCollapse: Failure<LogSoftmaxCollapseOptions> = failure<LogSoftmaxCollapseOptions>({
  id: 'log-softmax-collapse',
  title: 'log-softmax collapses: the loss is 0 and is not small',
  story:
    'The loss of a class that leads by a margin m is log(1 + e^-m). In bfloat16 1 + e^-m is 1 as soon as e^-m is at most 2^-8, from a margin of 5.55 on: there the loss is exactly 0 and no longer says whether the model improves. The sum over a large vocabulary stalls in the same way, and then the loss is far too small from the first step on.',
  source: 'https://github.com/google/flax/issues/677',
  reported:
    'EfficientNet on TPU in bfloat16 collapsed two thirds through the schedule; casting the logits to float32 for log_softmax and keeping the loss there repaired it, float32 in the final reduction alone did not.',
  repairs: [
    { change: 'float32 inside, one rounding', options: { internal: 'float32' } },
    { change: 'logits in float32', options: { dtype: 'float32' } },
  ],
  cure: examination('the loss of a class that leads by 0 ... 12', () => {
    const margins = tensor(
      Array.from({ length: 49 }, (_, i) => [i / 4, 0]),
      { dtype: 'bfloat16' },
    )
    return {
      f: (x: Tensor<'bfloat16'>) => neg(slice(logSoftmax(x, { accumulate: x.dtype }), [null, 0])),
      inputs: margins,
      question: 'no loss is 0',
      target: {
        holds: (g) =>
          g(margins)
            .toNumbers()
            .every((loss) => loss > 0),
      },
    }
  }),
  options: { dtype: 'optional', internal: 'optional' },
  run({ dtype = 'bfloat16', internal }) {
    const margins = Array.from({ length: 49 }, (_, i) => i / 4)
    const naive = losses(margins, dtype, internal)
    const stable = losses(margins, dtype, 'float32')
    const zero = naive.findIndex((loss, i) => loss === 0 && stable[i]! > 0)
    const holds = zero !== -1
    const at = holds ? zero : margins.length - 1
    return {
      naive: { firstZero: holds ? margins[zero]! : null, loss: naive[at]!, losses: naive },
      stable: { firstZero: null, loss: stable[at]!, losses: stable },
      holds,
      text: holds
        ? `From a margin of ${say(margins[zero]!)} on the loss is exactly ${say(naive[zero]!)}, where ${say(stable[zero]!)} is right.`
        : `No loss up to a margin of ${say(margins[at]!)} is 0: there it is ${say(naive[at]!)}.`,
      figure: {
        caption: 'Two classes, the right one ahead by the margin. A ring at the foot is 0.',
        axes: ['margin', { label: 'loss', scale: 'log10' }],
        series: [
          blue(
            'float32 inside',
            margins.map((x, i) => ({ x, y: stable[i]! })),
            'no dots',
          ),
          red(
            internal ?? dtype,
            margins.map((x, i) => ({ x, y: naive[i]! })),
          ),
        ],
        markers: holds ? [{ x: margins[zero]!, label: 'exactly 0' }] : [],
      },
    }
  },
})

function losses(
  margins: readonly number[],
  dtype: FloatDType,
  internal: 'float32' | 'float64' | undefined,
): number[] {
  const logits = tensor(
    margins.map((margin) => [margin, 0]),
    { dtype },
  )
  const logs = logSoftmax(logits, internal === undefined ? { accumulate: dtype } : { internal })
  // + 0: the loss of a certain class is -0 as computed.
  return Array.from(neg(slice(logs, [null, 0])).toNumbers(), (loss) => loss + 0)
}
