import { checkInteger, checkName } from '../../../base/options/index.js'
import { causalMask, type FlashFormName, flashAttention } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { cast } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The attention and its mask; `dtype` that of the operands. */
export interface AttentionMaskedRowOptions extends DTypeOption {
  /** Where the kernel rounds and how it masks. Default: 'splash'. */
  readonly form?: FlashFormName
  /** Of the causal mask: rows before -offset have no key. Default: -20. */
  readonly offset?: number
  /** Queries and keys. Default: 64. */
  readonly n?: number
  /** Rows and columns of a block. Default: 16. */
  readonly block?: number
}

/**
 * Rows that may attend to nothing: NaN where every block was skipped, an average of what is forbidden where one was not.
 *
 * Readings  `nanRows`; `leakingRows`, fully masked rows with an output that is not 0; the first output of every row in `outputs`.
 *           The stable form is FlashAttention-2's form, which gives 0.
 *
 * @example attentionMaskedRow.run().naive.nanRows // 16
 */
export const attentionMaskedRow: Failure<AttentionMaskedRowOptions> = failure<AttentionMaskedRowOptions>({
  id: 'attention-masked-row',
  title: 'A row without a key: NaN, or an average of what it may not see',
  story:
    'Padding, or a causal mask with more queries than keys, leaves rows that may attend to nothing. Kernels that mask by a large negative number instead of -Inf find all logits of such a row equal, and give the mean of the values in the blocks that they visited, keys of the future included. Where the mask let them skip every block of the row, the sum of probabilities is 0, and 0 times 1 / 0 is NaN, which the mean of a loss spreads to all. A kernel has to ask whether the sum is 0, or every row needs a key of its own.',
  source: 'https://github.com/pytorch/pytorch/issues/110213',
  reported:
    'scaled_dot_product_attention of PyTorch 2.1 on a GPU gives NaN for a sequence whose keys are all masked by the lowest float, as left padding does to Falcon; on a CPU, and in 2.0, it gave numbers.',
  repairs: [
    { change: '-Inf for masked logits, and 0 where the sum is 0', options: { form: 'flash2' } },
    { change: 'a key for every row', options: { offset: 0 } },
  ],
  cure: {
    none: 'no rounding makes it: a row without a key has no average, in any dtype. The form of flashAttention decides what stands there.',
  },
  options: { dtype: 'optional', form: 'optional', offset: 'optional', n: 'optional', block: 'optional' },
  run({ dtype = 'bfloat16', form = 'splash', offset = -20, n = 64, block = 16 }) {
    checkName(this.id, 'form', form, ['flash2', 'splash', 'pallas', 'bfloat16'])
    checkInteger(this.id, 'n', n, 2, 512)
    checkInteger(this.id, 'offset', offset, -n, n)
    checkInteger(this.id, 'block', block, 1, 512)
    const [q, k, v] = [0, 1, 2].map((draw) => cast(normal(key(draw), [1, n, 8]), dtype))
    const readings = (of: FlashFormName) => {
      const how = { form: of, mask: causalMask({ offset }), blockQ: block, blockK: block }
      const { out } = flashAttention(q!, k!, v!, how)
      const values = out.toNumbers()
      const outputs = Array.from({ length: n }, (_, i) => values[i * 8]!)
      const masked = outputs.slice(0, Math.max(0, -offset))
      return {
        nanRows: outputs.filter(Number.isNaN).length,
        leakingRows: masked.filter((value) => value !== 0 && !Number.isNaN(value)).length,
        outputs,
      }
    }
    const [naive, stable] = [readings(form), readings('flash2')]
    const holds = naive.nanRows > 0 || naive.leakingRows > 0
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `Of ${say(-offset)} rows without a key ${say(naive.nanRows)} are NaN, and ${say(naive.leakingRows)} are averages of keys that are masked.`
        : `Rows without a key: ${say(Math.max(0, -offset))}; none is NaN and none has an output of its own.`,
      figure: {
        caption: 'The first output of every row. A cross at the top is NaN.',
        axes: ['row', 'output'],
        series: [
          blue('flash2', overSteps(stable.outputs, 0)),
          red(`form ${form}`, overSteps(naive.outputs, 0)),
        ],
      },
    }
  },
})
