import { checkInteger } from '../../../base/options/index.js'
import { logSoftmax } from '../../../numerics/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import {
  add,
  argmax,
  cast,
  type FloatDType,
  matmul,
  mul,
  slice,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The two programs; `dtype` is that of states, weights and logits in both. */
export interface ServingDisagreesOptions extends DTypeOption {
  /** How much of the width the serving kernel multiplies at a time; the trainer multiplies all 256. Default: 64. */
  readonly chunk?: number
  /** Tokens. Default: 128. */
  readonly tokens?: number
}

const [width, vocabulary] = [256, 256]
const noticed = 0.005

/**
 * One model, two kernels: the trainer's probabilities are not those that the tokens were drawn by.
 *
 * Readings  `differing` logits; `otherTokens`, positions at which the most probable token is another; `mismatch`, the mean difference of
 *           the log-probabilities of the served tokens, `largest` of them. The stable form is float16.
 *
 * @example servingDisagrees.run().naive.mismatch > 0.005 // true
 */
export const servingDisagrees: Failure<ServingDisagreesOptions> = failure<ServingDisagreesOptions>({
  id: 'serving-disagrees',
  title: 'Trainer and server give the same token different probabilities',
  story:
    'In reinforcement learning one program draws the tokens and another computes the gradient. Both have the same weights, and both are right within their rounding; but a kernel for serving splits the width among cores and adds partial products that are rounded, and one for training does not. In bfloat16 a logit near 8 is off by up to a thirty-second, so the probability of a token by up to some percent; the ratio of the two is what the gradient is weighted by, multiplied over a whole answer, and what is added to it by rounding is not the policy. float16 has eight times finer steps where its range suffices.',
  source: 'https://arxiv.org/abs/2510.26788',
  reported:
    'Defeating the training-inference mismatch via FP16 (Qi and others): instabilities of reinforcement learning come from trainer and rollout engine disagreeing, for which the rounding of bfloat16 is to blame; in float16 the mismatch is about 24 times smaller, and training is stable without corrections.',
  repairs: [
    { change: 'float16 in both programs', options: { dtype: 'float16' } },
    { change: 'float32 in both programs', options: { dtype: 'float32' } },
    { change: 'one kernel for both', options: { chunk: width } },
  ],
  cure: {
    none: 'two programs are compared, and neither is wrong: the doctor examines one. Wider logits in both, or one kernel for both, take it out.',
  },
  options: { dtype: 'optional', chunk: 'optional', tokens: 'optional' },
  run({ dtype = 'bfloat16', chunk = 64, tokens = 128 }) {
    checkInteger(this.id, 'chunk', chunk, 1, width)
    checkInteger(this.id, 'tokens', tokens, 2, 500)
    const [naive, stable] = [compare(dtype, chunk, tokens), compare('float16', chunk, tokens)]
    const holds = naive.mismatch >= noticed
    const off = `The log-probabilities of ${say(tokens)} served tokens differ by ${say(naive.mismatch)} on the mean`
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${off}, at most by ${say(naive.largest)}; ${say(naive.otherTokens)} times the trainer prefers another token. In float16 they differ by ${say(stable.mismatch)}.`
        : `${off}.`,
      figure: {
        caption: 'The log-probability of every served token: trainer minus server.',
        axes: ['token', 'difference'],
        series: [blue('float16', overSteps(stable.differences)), red(dtype, overSteps(naive.differences))],
      },
    }
  },
})

interface Disagreement {
  readonly [name: string]: number | readonly number[]
  readonly differing: number
  readonly otherTokens: number
  readonly mismatch: number
  readonly largest: number
  readonly differences: readonly number[]
}

function compare(dtype: FloatDType, chunk: number, tokens: number): Disagreement {
  const states: Tensor = cast(normal(key(30), [tokens, width]), dtype)
  // Logits of deviation 3: sharp, as a trained model has them.
  const weights: Tensor = cast(mul(normal(key(31), [width, vocabulary]), 3 / 16), dtype)
  const trained: Tensor = matmul(states, weights)
  let served: Tensor | undefined
  for (let from = 0; from < width; from += chunk) {
    const part = [from, Math.min(from + chunk, width)] as const
    const product: Tensor = matmul(slice(states, [null, part]), slice(weights, [part]))
    served = served ? add(served, product) : product
  }
  const [mine, theirs] = [trained, served!].map((logits) => ({
    logits: logits.toNumbers(),
    best: argmax(logits, { axis: -1 }).toNumbers(),
    log: logSoftmax(cast(logits, 'float32')).toNumbers(),
  }))
  const differences = Array.from(theirs!.best, (token, i) => {
    const at = i * vocabulary + token
    return mine!.log[at]! - theirs!.log[at]!
  })
  return {
    differing: mine!.logits.filter((logit, i) => logit !== theirs!.logits[i]).length,
    otherTokens: mine!.best.filter((token, i) => token !== theirs!.best[i]).length,
    mismatch: differences.reduce((total, d) => total + Math.abs(d), 0) / tokens,
    largest: Math.max(...differences.map(Math.abs)),
    differences,
  }
}
