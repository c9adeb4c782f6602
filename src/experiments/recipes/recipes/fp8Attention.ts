import { bfloat16Attend } from '../decoder/decoder.js'
import { fp8Attend } from '../decoder/fp8Attend.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

/** Attention in fp8: block scales, and a Hadamard transform of queries and keys. */
export const fp8Attention: Recipe = decoderRecipe({
  name: 'fp8-attention',
  title: 'Attention in fp8',
  claim:
    'With scales for blocks instead of tensors, and queries and keys through a random Hadamard transform, attention in fp8 has 2.6 times less error than with one scale a tensor.',
  sources: [
    {
      text: 'Shah and others, FlashAttention-3: Fast and Accurate Attention with Asynchrony and Low-precision, arXiv 2407.08608, 3.3 and 4.3',
      url: 'https://arxiv.org/abs/2407.08608',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'queries, keys and values in bfloat16',
      training: { optimizer, attend: bfloat16Attend },
    },
    {
      name: 'fp8-attention',
      about: 'E4M3, one scale for the features of a head of a token, queries and keys transformed',
      training: { optimizer, attend: fp8Attend({ scales: 'block', transform: true }) },
    },
    {
      name: 'without transform',
      about: 'E4M3 with block scales alone',
      training: { optimizer, attend: fp8Attend({ scales: 'block', transform: false }) },
    },
    {
      name: 'one scale a tensor',
      about: 'E4M3 with one scale a tensor, not transformed',
      training: { optimizer, attend: fp8Attend({ scales: 'tensor', transform: false }) },
    },
  ],
  claims: [
    { says: 'within', arm: 'fp8-attention', of: 'bfloat16', share: 0.005 },
    { says: 'below', better: 'fp8-attention', worse: 'one scale a tensor', by: 'forward' },
    { says: 'below', better: 'fp8-attention', worse: 'without transform', by: 'forward' },
    { says: 'below', better: 'fp8-attention', worse: 'one scale a tensor' },
  ],
})
