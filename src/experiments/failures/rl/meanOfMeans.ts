import { checkInteger, checkName } from '../../../base/options/index.js'
import { accumulateGradients } from '../../../models/rl/index.js'
import { type FloatDType, tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The micro-batches. */
export interface MeanOfMeansOptions extends DTypeOption {
  /** Default: 'mean-of-means'. */
  readonly rule?: 'mean-of-means' | 'weighted' | 'sum'
  /** Rows of the last micro-batch; the others have 64. Default: 4. */
  readonly last?: number
}

/** The gradient of a row, of all micro-batches but the last, and of the last. */
const [usual, unusual] = [1, 9]

/**
 * The mean of the means of unequal micro-batches is not the mean.
 *
 * Readings  `gradient` of three micro-batches of 64 rows with gradient 1 and a last one of 4 rows with gradient 9. The stable twin
 *           weighs each by its rows.
 *
 * @example meanOfMeans.run().naive.gradient // 3
 */
export const meanOfMeans: Failure<MeanOfMeansOptions> = failure<MeanOfMeansOptions>({
  id: 'mean-of-means',
  title: 'The mean of means is another number',
  story:
    'A batch that is too large is cut into micro-batches; each gives the mean gradient of its rows, and the means are averaged. That is the gradient of the batch only where all parts have equally many rows. The last one of a batch that does not divide, or parts that differ in padding, count as much as the full ones: four rows weigh as much as sixty-four. No rounding is involved, and no dtype helps.',
  source: 'https://github.com/huggingface/transformers/issues/35203',
  reported:
    'The loss of accumulated micro-batches was averaged per part, with other weights than the whole batch has; found late here, and in other trainers besides.',
  repairs: [
    { change: 'each part weighed by its rows', options: { rule: 'weighted' } },
    { change: 'sums added up, divided once', options: { rule: 'sum' } },
    { change: 'parts of one size', options: { last: 64 } },
  ],
  cure: { none: 'no rounding makes it: the weights are other ones, in any dtype' },
  options: { dtype: 'optional', rule: 'optional', last: 'optional' },
  run({ dtype = 'float32', rule = 'mean-of-means', last = 4 }) {
    checkName(this.id, 'rule', rule, ['mean-of-means', 'weighted', 'sum'])
    checkInteger(this.id, 'last', last, 1, 64)
    const gradient = accumulated(last, rule, dtype)
    const right = (192 * usual + last * unusual) / (192 + last)
    // Beyond what rounding to the dtype makes of it.
    const holds = Math.abs(gradient - right) > 0.05 * right
    const sizes = [1, 2, 4, 8, 16, 32, 64]
    return {
      naive: { gradient },
      stable: { gradient: accumulated(last, 'weighted', dtype) },
      holds,
      text: holds
        ? `The mean of the means of 64, 64, 64 and ${say(last)} rows is ${say(gradient)}; the mean of all rows is ${say(right)}.`
        : `The gradient of 64, 64, 64 and ${say(last)} rows is ${say(gradient)}, the mean of all rows.`,
      figure: {
        caption: 'The gradient against the rows of the last micro-batch.',
        axes: [{ label: 'rows of the last micro-batch', scale: 'log2' }, 'gradient'],
        series: [
          blue(
            'mean of all rows',
            sizes.map((x) => ({ x, y: (192 * usual + x * unusual) / (192 + x) })),
          ),
          red(
            rule === 'mean-of-means' ? 'mean of means' : rule,
            sizes.map((x) => ({ x, y: accumulated(x, rule, dtype) })),
          ),
        ],
      },
    }
  },
})

function accumulated(last: number, rule: 'mean-of-means' | 'weighted' | 'sum', dtype: FloatDType): number {
  const part = (rows: number, gradient: number) => ({
    gradients: tensor(rule === 'sum' ? rows * gradient : gradient),
    rows,
  })
  const parts = [part(64, usual), part(64, usual), part(64, usual), part(last, unusual)]
  return accumulateGradients(parts, { rule, dtype }).item()
}
