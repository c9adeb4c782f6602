import { adamw, type GradientTransformation, type StateFormat } from '../../../optimizer/index.js'
import type { Schedule } from '../../../schedule/index.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw } from './adamwOf.js'

const storing =
  (stateFormat: StateFormat) =>
  (learningRate: Schedule): GradientTransformation =>
    adamw({ learningRate, b2: 0.95, weightDecay: 0.1, stateFormat })

/** AdamW with moments of 8 and 4 bits, and with weights in bfloat16 beside them. */
export const adam8bit: Recipe = decoderRecipe({
  name: 'adam8bit',
  title: 'AdamW with moments of 8 bits',
  claim:
    'Moments quantised in blocks with a dynamic map of 8 bits train to the loss of float32, of 4 bits nearly; weights in bfloat16 beside them should be rounded at random.',
  sources: [
    {
      text: 'Dettmers and others, 8-bit Optimizers via Block-wise Quantization, arXiv 2110.02861',
      url: 'https://arxiv.org/abs/2110.02861',
    },
    {
      text: 'Li and others, Memory Efficient Optimizers with 4-bit States, arXiv 2309.01507',
      url: 'https://arxiv.org/abs/2309.01507',
    },
    {
      text: 'bitsandbytes issue 1165, Stochastic rounding support for 8-bit optimizers',
      url: 'https://github.com/bitsandbytes-foundation/bitsandbytes/issues/1165',
    },
  ],
  arms: [
    {
      name: 'float32',
      about: 'weights and moments in float32',
      training: { optimizer: plainAdamw },
    },
    {
      name: '8 bits',
      about: "bitsandbytes' dynamic map in blocks of 256",
      training: { optimizer: storing('bitsandbytes-8bit') },
    },
    {
      name: '8 bits at random',
      about: 'the same, moments rounded up or down at random',
      training: { optimizer: storing({ format: 'bitsandbytes-8bit', key: 0 }) },
    },
    {
      name: 'fp8',
      about: "torchao's float8_e4m3fn in blocks of 256",
      training: { optimizer: storing('torchao-fp8') },
    },
    {
      name: '4 bits',
      about: "torchao's map of 4 bits in blocks of 128",
      training: { optimizer: storing('torchao-4bit') },
    },
    {
      name: '8 bits, bfloat16 weights',
      about: 'moments of 8 bits, weights in bfloat16 rounded to nearest',
      training: { optimizer: storing('bitsandbytes-8bit'), stored: { mode: 'nearest' } },
    },
    {
      name: '8 bits, bfloat16 weights at random',
      about: 'moments of 8 bits, weights in bfloat16 rounded at random',
      training: { optimizer: storing('bitsandbytes-8bit'), stored: { mode: 'stochastic' } },
    },
  ],
  claims: [
    { says: 'within', arm: '8 bits', of: 'float32', share: 0.0025 },
    { says: 'within', arm: 'fp8', of: 'float32', share: 0.0025 },
    { says: 'within', arm: '4 bits', of: 'float32', share: 0.01 },
    {
      says: 'below',
      better: '8 bits, bfloat16 weights at random',
      worse: '8 bits, bfloat16 weights',
    },
  ],
})
