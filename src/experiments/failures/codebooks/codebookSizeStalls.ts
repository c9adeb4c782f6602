import { checkInteger, checkNumber } from '../../../base/options/index.js'
import { emaCodebook } from '../../../models/vq/index.js'
import { add, type FloatDType, full, mul, ones, sub, type Tensor } from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The moving averages. */
export interface CodebookSizeStallsOptions extends DTypeOption {
  /** The share of the averages that is kept in a step. Default: 0.99. */
  readonly decay?: number
  /** Vectors that the code has in every step. Default: 100. */
  readonly count?: number
  /** Default: 500. */
  readonly steps?: number
}

/**
 * A code of a moving-average codebook that 100 vectors have in every step.
 *
 * Readings  `size`: the mean count after all steps, `lastChange`: the step that moved it last. The stable form is kept
 *           in float32.
 *
 * @example codebookSizeStalls.run().naive.size // 75
 */
export const codebookSizeStalls: Failure<CodebookSizeStallsOptions> = failure<CodebookSizeStallsOptions>({
  id: 'codebook-size-stalls',
  title: 'A codebook counts 75 where there are 100',
  story:
    'A codebook trained by moving averages keeps for every code how many vectors it gets and what they add up to; the code is the quotient. A step moves the count by a hundredth of what is missing, and once that is under half an ulp the count stands still: in bfloat16 at 75 of 100. The sum stalls as well, elsewhere, so the code is the quotient of two numbers that stopped too early.',
  source: 'https://github.com/kornia/kornia/pull/4545',
  reported:
    'A review of k-means in torch: sums and counts of clusters were taken in the dtype of the data. In float16 both overflow, a count from 65504 on; in bfloat16 a count is not exact long before that and centroids drift. Their means had been right before.',
  repairs: [
    { change: 'counts and sums in float32', options: { dtype: 'float32' } },
    { change: 'a faster average, decay = 0.8', options: { decay: 0.8 } },
  ],
  cure: examination('the count of a code that 100 vectors have, decay 0.99, 500 steps', () => {
    const inputs = { size: ones([1], { dtype: 'bfloat16' }), count: full([1], 100, { dtype: 'bfloat16' }) }
    return {
      f: counted,
      inputs,
      question: 'the count within a tenth of 100',
      target: { holds: (g) => Math.abs(g(inputs).item() - 100) <= 10 },
      groupBy: 'name',
    }
  }),
  options: { dtype: 'optional', decay: 'optional', count: 'optional', steps: 'optional' },
  run({ dtype = 'bfloat16', decay = 0.99, count = 100, steps = 500 }) {
    checkNumber(this.id, 'decay', decay, 0, 1)
    checkInteger(this.id, 'count', count, 1, 256)
    checkInteger(this.id, 'steps', steps, 1, 10_000)
    const naive = follow(dtype, decay, count, steps)
    const stable = follow('float32', decay, count, steps)
    const [size, right] = [naive[steps]!, stable[steps]!]
    const last = lastChange(naive)
    const holds = Math.abs(size - count) > count / 10 && Math.abs(right - count) < count / 10
    return {
      naive: { size, lastChange: last },
      stable: { size: right, lastChange: lastChange(stable) },
      holds,
      text: holds
        ? `The count moves last in step ${say(last)} and stays at ${say(size)} of ${say(count)}; in float32 it comes to ${say(right)}.`
        : `The count comes to ${say(size)} of ${say(count)}.`,
      figure: {
        caption: `${count} vectors in every step from the first on; decay ${decay}.`,
        axes: ['step', 'mean count'],
        series: [
          blue('float32', overSteps(stable, 0), 'no dots'),
          red(dtype, overSteps(naive, 0), 'no dots'),
        ],
        markers: holds ? [{ x: last, label: `stands still at ${say(size)}` }] : [],
      },
    }
  },
})

function follow(dtype: FloatDType, decay: number, count: number, steps: number): number[] {
  const ema = emaCodebook({ decay, dtype })
  const x = full([count, 1], 2, { dtype })
  let state = ema.init(ones([1, 1]))
  const sizes = [state.size.item()]
  for (let step = 0; step < steps; step++) {
    state = ema.update(x, state)[1]
    sizes.push(state.size.item())
  }
  return sizes
}

/** The step that changed the value last; 0 where none did. */
function lastChange(values: readonly number[]): number {
  let i = values.length - 1
  while (i > 0 && values[i] === values[i - 1]) i--
  return i
}

function counted({ size, count }: { readonly [name: string]: Tensor }): Tensor {
  let kept: Tensor = size!
  for (let i = 0; i < 500; i++) kept = add(kept, mul(sub(count!, kept), 1 - 0.99))
  return kept
}
