import type { MatmulRecipe } from '../../../models/kernels/index.js'
import { bfloat16Product } from '../decoder/product.js'
import { quantizedProduct } from '../decoder/quantized.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

/** Tiles of activations, gradients and weights; the paper's 128 is wider than the default model. */
const tiles = (side: number): MatmulRecipe => ({
  forward: { x: { tile: [1, side] }, w: { tile: [side, side] } },
  dgrad: { g: { tile: [1, side] }, w: { tile: [side, side] } },
  wgrad: { x: { tile: [1, side] }, g: { tile: [1, side] } },
  saved: 'codes',
})

/** DeepSeek-V3's fp8: one scale a tile, and without. */
export const deepseekFp8: Recipe = decoderRecipe({
  name: 'deepseek-fp8',
  title: 'Fp8 in tiles, as DeepSeek-V3 trained',
  claim:
    'With one scale for 1 x 128 elements of activations and gradients and 128 x 128 of weights, and E4M3 throughout, the loss stays within 0.25 % of bfloat16; gradients in blocks of 128 x 128 diverged.',
  sources: [
    {
      text: 'DeepSeek-V3 Technical Report, arXiv 2412.19437, 3.3 and appendix B',
      url: 'https://arxiv.org/abs/2412.19437',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'every product in bfloat16',
      training: { optimizer, product: bfloat16Product },
    },
    {
      name: 'tiles of 32',
      about:
        'E4M3, 1 x 32 of activations and gradients, 32 x 32 of weights: as many tiles a row as the paper has for its width',
      training: { optimizer, product: quantizedProduct(tiles(32)) },
    },
    {
      name: 'gradients in blocks',
      about: 'gradients in 32 x 32 as well',
      training: {
        optimizer,
        product: quantizedProduct({
          ...tiles(32),
          dgrad: { g: { tile: [32, 32] }, w: { tile: [32, 32] } },
          wgrad: { x: { tile: [1, 32] }, g: { tile: [32, 32] } },
        }),
      },
    },
    {
      name: 'one scale a row',
      about: 'E4M3, one float32 scale a row of each operand',
      training: { optimizer, product: quantizedProduct('fp8-row') },
    },
    {
      name: 'one scale a tensor',
      about: 'E4M3, E5M2 gradients, one float32 scale a tensor',
      training: { optimizer, product: quantizedProduct('fp8-tensor') },
    },
  ],
  sizes: { steps: 150 },
  claims: [
    { says: 'within', arm: 'tiles of 32', of: 'bfloat16', share: 0.0025 },
    { says: 'below', better: 'tiles of 32', worse: 'gradients in blocks', by: 'dgrad' },
    { says: 'below', better: 'tiles of 32', worse: 'gradients in blocks' },
    { says: 'below', better: 'tiles of 32', worse: 'one scale a tensor', by: 'wgrad' },
    { says: 'below', better: 'tiles of 32', worse: 'one scale a tensor' },
  ],
})
