import { type GradientTransformation, umup } from '../../../optimizer/index.js'
import type { Schedule } from '../../../schedule/index.js'
import { castProduct } from '../decoder/castProduct.js'
import type { DecoderSizes } from '../decoder/decoderParts.js'
import { bfloat16Product } from '../decoder/product.js'
import { quantizedProduct } from '../decoder/quantized.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import type { DecoderTraining } from '../train/trainDecoder.js'
import { plainAdamw as optimizer } from './adamwOf.js'

/** At width 64 a weight moves as far relative to its size as those of the other arms do at 4e-3: 4e-3 * 64. */
const peak = 0.256

/** Rate times decay is that of the other arms. */
const unitAdamw = (learningRate: Schedule, { layers }: DecoderSizes): GradientTransformation =>
  umup({ embedding: ['embedding'], readout: ['head'], residual: ['blocks'], depth: layers }).adamw({
    ...{ learningRate, b2: 0.95, weightDecay: (0.1 * 4e-3) / peak },
  })

const unit: DecoderTraining = { optimizer: unitAdamw, peak, scaling: 'unit', product: bfloat16Product }

/** Unit scaling and u-muP: fp8 by a cast. */
export const unitScaling: Recipe = decoderRecipe({
  name: 'unit-scaling',
  title: 'Unit scaling: fp8 without scales',
  claim:
    'Where every operation keeps activations, weights and gradients at a standard deviation of about 1, operands can be cast to E4M3 and gradients to E5M2 without any scale; u-muP reaches at least the loss of the usual parametrisation.',
  sources: [
    {
      text: 'Blake, Orr, Luschi, Unit Scaling: Out-of-the-Box Low-Precision Training, arXiv 2303.11257',
      url: 'https://arxiv.org/abs/2303.11257',
    },
    {
      text: 'Blake and others, u-muP: The Unit-Scaled Maximal Update Parametrization, arXiv 2407.17465',
      url: 'https://arxiv.org/abs/2407.17465',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'the usual parametrisation, every product in bfloat16',
      training: { optimizer, product: bfloat16Product },
    },
    {
      name: 'cast',
      about: 'operands cast to E4M3 and gradients to E5M2, without scales',
      training: { optimizer, product: castProduct('float8_e5m2') },
    },
    {
      name: 'one scale a tensor',
      about: 'the same formats with one float32 scale a tensor',
      training: { optimizer, product: quantizedProduct('fp8-tensor') },
    },
    { name: 'unit', about: 'unit scaling and u-muP, every product in bfloat16', training: unit },
    {
      name: 'unit, cast',
      about: 'unit scaling and u-muP, operands cast to E4M3 and gradients to E5M2, without scales',
      training: { ...unit, product: castProduct('float8_e5m2') },
    },
    {
      name: 'cast, E4M3 gradients',
      about: 'the usual parametrisation, operands and gradients cast to E4M3, whose least number is 2^-9',
      training: { optimizer, product: castProduct('float8_e4m3fn') },
    },
    {
      name: 'unit, cast, E4M3 gradients',
      about: 'unit scaling and u-muP, operands and gradients cast to E4M3',
      training: { ...unit, product: castProduct('float8_e4m3fn') },
    },
  ],
  sizes: { steps: 150 },
  claims: [
    { says: 'below', better: 'unit, cast', worse: 'cast' },
    { says: 'below', better: 'unit, cast', worse: 'cast', by: 'wgrad' },
    { says: 'within', arm: 'unit, cast', of: 'unit', share: 0.01 },
    { says: 'within', arm: 'unit', of: 'bfloat16', share: 0.01 },
  ],
})
