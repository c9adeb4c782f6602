import type { MatmulRecipe, OperandQuantization } from '../../../models/kernels/index.js'
import { bfloat16Product } from '../decoder/product.js'
import { quantizedProduct } from '../decoder/quantized.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

const up: OperandQuantization = { scheme: 'mxfp8_e4m3', scale: 'rceil' }
const down: OperandQuantization = { scheme: 'mxfp8_e4m3' }
const wide: OperandQuantization = { scheme: 'mxfp8_e5m2', scale: 'rceil' }

/** The products of operands and gradients quantised like this. */
const all = (operand: OperandQuantization, gradient: OperandQuantization): MatmulRecipe => ({
  forward: { x: operand, w: operand },
  dgrad: { g: gradient, w: operand },
  wgrad: { x: operand, g: gradient },
})

/** MXFP8 pretraining: which element format, which rule of scales. */
export const mxfp8: Recipe = decoderRecipe({
  name: 'mxfp8',
  title: 'Pretraining in MXFP8',
  claim:
    'With E4M3 elements throughout, gradients as well, and scales rounded up, MXFP8 trains to the loss of bfloat16; scales rounded down as the OCP specification suggests, and E5M2 gradients, are worse.',
  sources: [
    {
      text: 'Mishra and others, Recipes for Pre-training LLMs with MXFP8, arXiv 2506.08027',
      url: 'https://arxiv.org/abs/2506.08027',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'every product in bfloat16',
      training: { optimizer, product: bfloat16Product },
    },
    {
      name: 'mxfp8',
      about: 'E4M3 for all operands, scales rounded up',
      training: { optimizer, product: quantizedProduct(all(up, up)) },
    },
    {
      name: 'scales down',
      about:
        'E4M3, scales rounded down as the specification suggests: the largest elements of a block may saturate',
      training: { optimizer, product: quantizedProduct(all(down, down)) },
    },
    {
      name: 'E5M2 gradients',
      about: 'gradients in E5M2, which has more range and a bit less',
      training: { optimizer, product: quantizedProduct(all(up, wide)) },
    },
    {
      name: 'one scale a tensor',
      about: 'E4M3 operands and E5M2 gradients with one float32 scale a tensor: what MXFP8 replaces',
      training: { optimizer, product: quantizedProduct('fp8-tensor') },
    },
  ],
  sizes: { steps: 150 },
  claims: [
    { says: 'within', arm: 'mxfp8', of: 'bfloat16', share: 0.005 },
    { says: 'below', better: 'mxfp8', worse: 'scales down', by: 'forward' },
    { says: 'below', better: 'mxfp8', worse: 'scales down' },
    { says: 'below', better: 'mxfp8', worse: 'E5M2 gradients', by: 'wgrad' },
    { says: 'below', better: 'mxfp8', worse: 'E5M2 gradients' },
  ],
})
