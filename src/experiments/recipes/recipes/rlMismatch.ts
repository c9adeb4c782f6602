import type { Arm, Recipe } from '../record/recipe.js'
import { type PolicyTraining, trainPolicy } from '../rl/trainPolicy.js'

interface PolicyArm extends Arm {
  readonly training: PolicyTraining
}

const arms: readonly PolicyArm[] = [
  { name: 'float32', about: 'both engines in float32', training: { dtype: 'float32' } },
  { name: 'float16', about: 'both engines in float16', training: { dtype: 'float16' } },
  { name: 'bfloat16', about: 'both engines in bfloat16', training: { dtype: 'bfloat16' } },
  {
    name: 'bfloat16, corrected',
    about: 'bfloat16, each token weighted by the ratio of trainer and sampler, at most 2',
    training: { dtype: 'bfloat16', corrected: true },
  },
]

/** Float16 against bfloat16 where one engine samples and another one trains. */
export const rlMismatch: Recipe = {
  name: 'rl-mismatch',
  title: 'Float16 between sampler and trainer',
  claim:
    'Reinforcement learning of language models samples with one engine and computes gradients with another; in bfloat16 their probabilities differ enough to destabilise training, in float16 they hardly do.',
  sources: [
    {
      text: 'Qi and others, Defeating the Training-Inference Mismatch via FP16, arXiv 2510.26788',
      url: 'https://arxiv.org/abs/2510.26788',
    },
  ],
  measures: 'share of wrong tokens in the last fifth of the run',
  arms: arms.map(({ name, about }) => ({ name, about })),
  claims: [
    { says: 'below', better: 'float16', worse: 'bfloat16', by: 'forward' },
    { says: 'below', better: 'float16', worse: 'bfloat16' },
    { says: 'below', better: 'bfloat16, corrected', worse: 'bfloat16' },
  ],
  sizes: { width: 64, layers: 2, steps: 500, seeds: 8 },
  quick: { width: 32, layers: 1, steps: 60, seeds: 3 },
  run: (arm, sizes, seed, report) =>
    trainPolicy(arms.find(({ name }) => name === arm)!.training, sizes, seed, report),
}
