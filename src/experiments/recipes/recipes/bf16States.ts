import { adamw, type GradientTransformation, type StateFormat } from '../../../optimizer/index.js'
import type { Schedule } from '../../../schedule/index.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

const moments =
  (b2: number, stateFormat?: StateFormat) =>
  (learningRate: Schedule): GradientTransformation =>
    adamw({ learningRate, b2, weightDecay: 0.1, ...(stateFormat !== undefined && { stateFormat }) })

/** Weights and moments in bfloat16: what may be rounded, and how. */
export const bf16States: Recipe = decoderRecipe({
  name: 'bf16-states',
  title: 'Weights and moments in bfloat16',
  claim:
    'The moments of AdamW may be kept in bfloat16 without a loss; weights in bfloat16 lose small updates when rounded to nearest, and nearly nothing when rounded at random or with Kahan compensation.',
  sources: [
    {
      text: 'DeepSeek-V3 Technical Report, arXiv 2412.19437, 3.3.3',
      url: 'https://arxiv.org/abs/2412.19437',
    },
    {
      text: 'Zamirai and others, Revisiting BFloat16 Training, arXiv 2010.06192',
      url: 'https://arxiv.org/abs/2010.06192',
    },
    {
      text: 'NVIDIA/TransformerEngine pull request 1465, support adam bf16 state',
      url: 'https://github.com/NVIDIA/TransformerEngine/pull/1465',
    },
  ],
  arms: [
    { name: 'float32', about: 'weights and moments in float32', training: { optimizer } },
    {
      name: 'bfloat16 moments',
      about: 'both means of Adam in bfloat16, b2 0.95',
      training: { optimizer: moments(0.95, 'bfloat16') },
    },
    {
      name: 'b2 0.999',
      about: 'moments in float32, b2 0.999',
      training: { optimizer: moments(0.999) },
    },
    {
      name: 'bfloat16 moments, b2 0.999',
      about: 'both means in bfloat16, where 0.999 v rounds back to v',
      training: { optimizer: moments(0.999, 'bfloat16') },
    },
    {
      name: 'bfloat16 moments at random, b2 0.999',
      about: 'the same, rounded up or down at random',
      training: { optimizer: moments(0.999, { format: 'bfloat16', key: 0 }) },
    },
    {
      name: 'weights to nearest',
      about: 'weights in bfloat16, rounded to nearest',
      training: { optimizer, stored: { mode: 'nearest' } },
    },
    {
      name: 'weights at random',
      about: 'weights in bfloat16, rounded up or down at random',
      training: { optimizer, stored: { mode: 'stochastic' } },
    },
    {
      name: 'weights, Kahan',
      about: 'weights in bfloat16 with a compensation in bfloat16',
      training: { optimizer, stored: { mode: 'kahan' } },
    },
  ],
  claims: [
    { says: 'within', arm: 'bfloat16 moments', of: 'float32', share: 0.0025 },
    {
      says: 'below',
      better: 'bfloat16 moments at random, b2 0.999',
      worse: 'bfloat16 moments, b2 0.999',
    },
    { says: 'below', better: 'weights at random', worse: 'weights to nearest' },
    { says: 'below', better: 'weights, Kahan', worse: 'weights to nearest' },
    { says: 'within', arm: 'weights, Kahan', of: 'float32', share: 0.005 },
    { says: 'within', arm: 'weights at random', of: 'float32', share: 0.005 },
  ],
})
