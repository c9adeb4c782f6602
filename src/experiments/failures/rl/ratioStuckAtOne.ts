import { checkNumber } from '../../../base/options/index.js'
import { ratioReport } from '../../../models/rl/index.js'
import { logSoftmax } from '../../../numerics/index.js'
import { foldIn, key, normal } from '../../../tensors/random/index.js'
import { cast, type FloatDType, slice, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The policies. */
export interface RatioStuckAtOneOptions extends DTypeOption {
  /** How far each logit moves: a normal draw times this. Default: 0.001. */
  readonly step?: number
}

const rows = 1024

/**
 * Ratios of policies that moved are exactly 1, and a quarter of a per cent and a half at the least where they are not.
 *
 * Readings  `exactlyOne`: of 1,024 policies of three actions those whose first action's ratio is 1, `distinct` ratios.
 *           Log-probabilities are float64's, rounded once. The stable twin keeps them in float64.
 *
 * @example ratioStuckAtOne.run().stable.exactlyOne // 0
 */
export const ratioStuckAtOne: Failure<RatioStuckAtOneOptions> = failure<RatioStuckAtOneOptions>({
  id: 'ratio-stuck-at-one',
  title: 'The policy moved, and its ratios are 1',
  story:
    'PPO compares a policy with the one that took the actions by the ratio e^(new - old) of their probabilities. Log-probabilities in bfloat16 are 2^-8 apart at p = 1/2 and 2^-6 apart at p = 0.1, so that a small step of the logits changes none of them: the ratio is exactly 1, and what is read off it, the divergence, the share that is clipped, the condition for stopping early, is 0. The gradient goes on, unwatched.',
  source: 'https://github.com/huggingface/transformers/issues/31267',
  reported:
    'Log-probabilities of one model from generation and from a forward pass differ in bfloat16, and less in float16: the format has too few digits for the differences that policy gradients are made of.',
  repairs: [
    { change: 'log-probabilities in float32', options: { dtype: 'float32' } },
    { change: 'a step of the logits as large as half a unit', options: { step: 0.5 } },
  ],
  cure: { none: 'the log-probabilities are rounded as they are stored, and only then compared' },
  options: { dtype: 'optional', step: 'optional' },
  run({ dtype = 'bfloat16', step = 0.001 }) {
    checkNumber(this.id, 'step', step, 0, 100)
    const [naive, stable] = [ratios(step, dtype), ratios(step, 'float64')]
    const holds = naive.exactlyOne > rows / 2
    const sizes = [1e-4, 1e-3, 1e-2, 1e-1]
    const share = (of: FloatDType): { x: number; y: number }[] =>
      sizes.map((x) => ({ x, y: ratios(x, of).exactlyOne / rows }))
    return {
      naive: { exactlyOne: naive.exactlyOne, distinct: naive.distinct },
      stable: { exactlyOne: stable.exactlyOne, distinct: stable.distinct },
      holds,
      text: `${say(naive.exactlyOne)} of ${say(rows)} ratios are exactly 1 in ${dtype} after the logits moved by ${say(step)}${holds ? '' : ': the others are seen'}.`,
      figure: {
        caption: 'The share of ratios that are exactly 1, against how far the logits moved.',
        axes: [{ label: 'step of the logits', scale: 'log10' }, 'share of ratios'],
        series: [blue('float64', share('float64')), red(`stored in ${dtype}`, share(dtype))],
      },
    }
  },
})

function ratios(step: number, dtype: FloatDType): { exactlyOne: number; distinct: number } {
  const [logits, move] = [32, 33].map((seed) => normal(foldIn(key(0), seed), 3 * rows))
  const before = Float64Array.from(logits!)
  const stored = (of: Float64Array): Tensor =>
    slice(cast(logSoftmax(tensor(of, { shape: [rows, 3], dtype: 'float64' })), dtype), [null, 0])
  const after = before.map((x, i) => x + step * move![i]!)
  const { exactlyOne, distinct } = ratioReport(stored(after), stored(before))
  return { exactlyOne: Math.round(exactlyOne * rows), distinct }
}
