import { logSoftmax } from '../../../numerics/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { cast, checkFloatDType, type FloatDType, tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The two programs. */
export interface RolloutAndLearnerOptions extends DTypeOption {
  /** The logits of the learner. Default: 'float32'. */
  readonly learnerDtype?: FloatDType
}

const [sequences, tokens, choices, spread] = [32, 256, 8, 8]

/**
 * Rollout and learner in different precisions: one policy, and its ratios are not 1.
 *
 * Readings  `moved`: of 8,192 tokens those whose log-probabilities differ, `clipped`: of 32 sequences of 256 tokens those whose ratio
 *           is beyond 0.2 of 1. The rollout's logits are rounded to `dtype`; log-softmax in float64. The stable twin has the learner's
 *           logits in both.
 *
 * @example rolloutAndLearner.run().stable.clipped // 0
 */
export const rolloutAndLearner: Failure<RolloutAndLearnerOptions> = failure<RolloutAndLearnerOptions>({
  id: 'rollout-and-learner',
  title: 'Rollout and learner round differently, and the policy is two',
  story:
    'Actions are chosen by one program, often in bfloat16, and learned from by another, in float32: the same parameters, and not the same probabilities. A token differs by little; a sequence multiplies the ratios of all its tokens. Weights that correct for old policies see a policy that moved before anything was learned, clip some sequences, and lean on others.',
  source: 'https://github.com/sail-sg/Precision-RL',
  reported:
    'The code of arXiv 2510.26788: runs of reinforcement learning collapsed by the mismatch between the programs that sample and that train; float16 in both in the place of bfloat16 lowered the divergence about 24-fold, and the collapse was gone.',
  repairs: [
    { change: 'float16, three bits more', options: { dtype: 'float16' } },
    { change: 'the same dtype in both', options: { learnerDtype: 'bfloat16' } },
    { change: 'float32 in the rollout', options: { dtype: 'float32' } },
  ],
  cure: {
    none: 'there are two programs, and each is as wide as it was meant to be: they have to be the same',
  },
  options: { dtype: 'optional', learnerDtype: 'optional' },
  run({ dtype = 'bfloat16', learnerDtype = 'float32' }) {
    checkFloatDType(this.id, 'learnerDtype', learnerDtype)
    const [rollout, learner] = [logProbs(dtype), logProbs(learnerDtype)]
    const moved = rollout.filter((x, i) => x !== learner[i]!).length
    const ratios = Array.from({ length: sequences }, (_, s) => {
      let sum = 0
      for (let t = s * tokens; t < (s + 1) * tokens; t++) sum += learner[t]! - rollout[t]!
      return Math.exp(sum)
    }).sort((a, b) => a - b)
    const clipped = ratios.filter((ratio) => Math.abs(ratio - 1) > 0.2).length
    const holds = clipped > 0
    return {
      naive: { moved, clipped },
      stable: { moved: 0, clipped: 0 },
      holds,
      text: `${say(moved)} of ${say(sequences * tokens)} tokens have another probability in the rollout (${dtype}) than in the learner (${learnerDtype}), and ${say(clipped)} of ${say(sequences)} sequences are beyond the clip.`,
      figure: {
        caption: 'The ratios of 32 sequences of 256 tokens, in ascending order, of a policy against itself.',
        axes: ['sequence', 'ratio'],
        series: [
          blue(
            'one program',
            ratios.map((_, i) => ({ x: i + 1, y: 1 })),
            'no dots',
          ),
          red(`${dtype} and ${learnerDtype}`, overSteps(ratios)),
        ],
      },
    }
  },
})

/** Of the first choice of every token, its logits rounded to a dtype. */
function logProbs(dtype: FloatDType): Float64Array {
  const drawn = normal(key(35), sequences * tokens * choices)
  const logits = tensor(
    drawn.map((x) => spread * x),
    { shape: [sequences * tokens, choices] },
  )
  const all = logSoftmax(cast(cast(logits, dtype), 'float64')).toNumbers()
  return all.filter((_, i) => i % choices === 0)
}
