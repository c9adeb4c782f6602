import { type MatmulRecipe, matmulRecipes, type OperandQuantization } from '../../../models/kernels/index.js'
import { bfloat16Product } from '../decoder/product.js'
import { quantizedProduct } from '../decoder/quantized.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

const whole = matmulRecipes.nvfp4
const row: OperandQuantization = { scheme: 'nvfp4', tensorScale: 'amax' }
const drawn: OperandQuantization = { ...row, rounding: 'stochastic' }
const square: OperandQuantization = { ...row, blockRows: 16 }

/** Gradients rounded to the nearest number. */
const withoutRandom: MatmulRecipe = {
  forward: { x: row, w: square },
  dgrad: { g: row, w: square },
  wgrad: { x: row, g: row, hadamard: whole.wgrad!.hadamard! },
}
/** Gradients of weights from operands as they are. */
const withoutTransform: MatmulRecipe = { ...whole, wgrad: { x: row, g: drawn } }
/** Weights in blocks along the dimension of each product: forward and backward pass see different ones. */
const withoutSquares: MatmulRecipe = {
  ...whole,
  forward: { x: row, w: row },
  dgrad: { g: drawn, w: row },
}
const naive: MatmulRecipe = {
  forward: { x: row, w: row },
  dgrad: { g: row, w: row },
  wgrad: { x: row, g: row },
}

/** NVFP4 pretraining, and without each of its ingredients. */
export const nvfp4: Recipe = decoderRecipe({
  name: 'nvfp4',
  title: 'Pretraining in NVFP4',
  claim:
    'With random Hadamard transforms, stochastic rounding of gradients and 16 x 16 blocks of weights a model trains in four bits to a loss close to that of eight; without one of them the loss is higher.',
  sources: [
    {
      text: 'NVIDIA, Pretraining Large Language Models with NVFP4, arXiv 2509.25149',
      url: 'https://arxiv.org/abs/2509.25149',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'every product in bfloat16',
      training: { optimizer, product: bfloat16Product },
    },
    {
      name: 'nvfp4',
      about:
        'all ingredients: gradients rounded at random, weights in 16 x 16 blocks, gradients of weights through a random Hadamard transform of 16',
      training: { optimizer, product: quantizedProduct('nvfp4') },
    },
    {
      name: 'without SR',
      about: 'gradients rounded to nearest',
      training: { optimizer, product: quantizedProduct(withoutRandom) },
    },
    {
      name: 'without RHT',
      about: 'gradients of weights without the Hadamard transform',
      training: { optimizer, product: quantizedProduct(withoutTransform) },
    },
    {
      name: 'without 2D',
      about: 'weights in blocks of 1 x 16 along the dimension of each product',
      training: { optimizer, product: quantizedProduct(withoutSquares) },
    },
    {
      name: 'naive',
      about: 'none of the three: blocks of 1 x 16, all to nearest',
      training: { optimizer, product: quantizedProduct(naive) },
    },
  ],
  sizes: { steps: 150 },
  claims: [
    { says: 'within', arm: 'nvfp4', of: 'bfloat16', share: 0.015 },
    { says: 'below', better: 'nvfp4', worse: 'without SR' },
    { says: 'below', better: 'nvfp4', worse: 'without RHT' },
    { says: 'below', better: 'nvfp4', worse: 'without 2D' },
    { says: 'below', better: 'nvfp4', worse: 'naive' },
    { says: 'below', better: 'without SR', worse: 'without RHT' },
    { says: 'below', better: 'without RHT', worse: 'naive' },
  ],
})
