import { fakeQuantize } from '../../../models/kernels/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { bfloat16Product, type Product } from '../decoder/product.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import { plainAdamw as optimizer } from './adamwOf.js'

/** Weights as MXFP4 has them, in blocks along the dimension that is summed over; gradients pass. */
const narrowWeights: Product = (x, w, site) =>
  bfloat16Product(
    x,
    fakeQuantize(w as Tensor<'float32'>, 'mxfp4', { axis: 0, gradient: 'straight-through' }),
    site,
  )

/** Quantisation-aware training for weights in MXFP4, as gpt-oss is served. */
export const qatMxfp4: Recipe = decoderRecipe({
  name: 'qat-mxfp4',
  title: 'Quantisation-aware training for MXFP4 weights',
  claim:
    'A model whose last steps see its weights as MXFP4 loses less of its quality when they are stored in MXFP4 than one that is quantised after training.',
  sources: [
    {
      text: 'NVIDIA, Fine-Tuning gpt-oss for Accuracy and Performance with Quantization Aware Training, 2025',
      url: 'https://developer.nvidia.com/blog/fine-tuning-gpt-oss-for-accuracy-and-performance-with-quantization-aware-training/',
    },
  ],
  arms: [
    {
      name: 'bfloat16',
      about: 'trained and tested in bfloat16',
      training: { optimizer, product: bfloat16Product },
    },
    {
      name: 'after training',
      about: 'trained in bfloat16, tested with weights in MXFP4',
      training: { optimizer, product: bfloat16Product, tested: { product: narrowWeights } },
    },
    {
      name: 'last quarter',
      about: 'the last quarter of the steps with weights as MXFP4 has them, tested in MXFP4',
      training: {
        optimizer,
        product: bfloat16Product,
        later: { after: 0.75, parts: { product: narrowWeights } },
        tested: { product: narrowWeights },
      },
    },
    {
      name: 'throughout',
      about: 'all steps with weights as MXFP4 has them, tested in MXFP4',
      training: { optimizer, product: narrowWeights },
    },
  ],
  claims: [
    { says: 'below', better: 'last quarter', worse: 'after training' },
    { says: 'below', better: 'throughout', worse: 'after training' },
    { says: 'within', arm: 'last quarter', of: 'bfloat16', share: 0.01 },
  ],
})
