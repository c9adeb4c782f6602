import { checkInteger, checkName } from '../../../base/options/index.js'
import { ratioReport } from '../../../models/rl/index.js'
import { logSoftmax } from '../../../numerics/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { cast, cumsum, exp, max, slice, sub, tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The policy. */
export interface ManyActionsClippedOptions extends DTypeOption {
  /** What the log-softmax is computed in. Default: `dtype`, op by op, its sum too. */
  readonly internal?: 'float32' | 'float64'
  /** Default: 1000. */
  readonly actions?: number
}

const rows = 32

/**
 * With 1,000 actions every ratio is beyond the clip before the first step.
 *
 * Readings  `clipped`: of 32 ratios of a policy against itself those that differ from 1 by more than 0.2. The old log-probabilities
 *           are float64's, rounded once to the dtype; the new ones the dtype's, op by op. The stable twin computes both alike.
 *
 * @example manyActionsClipped.run().naive.clipped // 32
 */
export const manyActionsClipped: Failure<ManyActionsClippedOptions> = failure<ManyActionsClippedOptions>({
  id: 'many-actions-clipped',
  title: '1,000 actions: all ratios are clipped before the first step',
  story:
    'A rollout stores the log-probabilities of its actions; the learner computes them again, in bfloat16, one operation after the other. The sum of 1,000 exponentials stalls once a term is less than half a unit in its last place, its logarithm comes out too small, every log-probability too large: the ratio of a policy that has not moved is 1.2 to 1.6. The clip takes all of them for moves that went too far, and nothing is learned where it matters.',
  source: 'https://github.com/huggingface/blog/pull/2110',
  reported:
    'Ratios of an unmoved policy in bfloat16 went up to 12 for a sequence; the clip nulled the gradients of 20 to 40 per cent of the batch where it should have nulled none. In float16 ratios stayed within 1.2 per cent of 1.',
  repairs: [
    { change: 'the log-softmax in float32, rounded once', options: { internal: 'float32' } },
    { change: '18 actions', options: { actions: 18 } },
    { change: 'float32', options: { dtype: 'float32' } },
  ],
  cure: {
    none: 'one side is computed op by op and the other was not: the same log-softmax on both sides, wide inside, is the cure',
  },
  options: { dtype: 'optional', internal: 'optional', actions: 'optional' },
  run({ dtype = 'bfloat16', internal, actions = 1000 }) {
    if (internal !== undefined) checkName(this.id, 'internal', internal, ['float32', 'float64'])
    checkInteger(this.id, 'actions', actions, 2, 4096)
    const drawn = cast(tensor(normal(key(34), rows * actions), { shape: [rows, actions] }), 'bfloat16')
    const logits = cast(drawn, dtype)
    const chosen = [null, 0] as const
    const old = slice(cast(logSoftmax(cast(drawn, 'float64')), dtype), [...chosen])
    const now = slice(logSoftmax(logits, internal === undefined ? { accumulate: dtype } : { internal }), [
      ...chosen,
    ])
    const report = ratioReport(now, old)
    const clipped = Math.round(report.beyondClip * rows)
    const holds = clipped > rows / 2
    const first = slice(logits, [[0, 1]])
    const exponentials = exp(sub(first, max(first)))
    const sums = cumsum(exponentials).toNumbers()
    const exact = cumsum(cast(exponentials, 'float64')).toNumbers()
    return {
      naive: { clipped },
      stable: { clipped: 0 },
      holds,
      text: holds
        ? `${say(clipped)} of ${say(rows)} ratios of a policy of ${say(actions)} actions against itself are beyond the clip: they go from ${say(report.least)} to ${say(report.greatest)}.`
        : `${say(clipped)} of ${say(rows)} ratios of a policy of ${say(actions)} actions against itself are beyond the clip.`,
      figure: {
        caption: 'The running sum of the exponentials of one policy.',
        axes: ['actions', 'sum of exponentials'],
        series: [
          blue('added up in float64', overSteps(exact), 'no dots'),
          red(`added up in ${dtype}`, overSteps(sums), 'no dots'),
        ],
      },
    }
  },
})
