import { type GradientTransformation, muon, type WeightDimensionNumbers } from '../../../optimizer/index.js'
import type { Schedule } from '../../../schedule/index.js'
import type { FloatDType } from '../../../tensors/tensor/index.js'
import { pathsOf, replaceLeaves } from '../../../tensors/tree/index.js'
import type { Recipe } from '../record/recipe.js'
import { decoderRecipe } from '../train/decoderRecipe.js'
import type { DecoderTraining } from '../train/trainDecoder.js'
import { plainAdamw } from './adamwOf.js'

/** The matrices of the blocks; AdamW has embedding, norms and the product to logits. */
const ofBlocks: WeightDimensionNumbers = (tree) =>
  replaceLeaves(
    tree,
    pathsOf(tree).map(({ path, leaf }) =>
      path.startsWith('blocks') && leaf.rank === 2 ? { reductionAxis: 0, outputAxis: 1 } : null,
    ),
  )

const muonIn = (nsDtype: FloatDType): DecoderTraining => ({
  optimizer: (learningRate: Schedule): GradientTransformation =>
    muon({
      ...{ learningRate, nsDtype, consistentRms: 0.2, weightDecay: 0.1 },
      ...{ adamB2: 0.95, adamWeightDecay: 0.1, muonWeightDimensionNumbers: ofBlocks },
    }),
  newtonSchulz: nsDtype,
})

/** Muon with Newton-Schulz steps in fewer bits. */
export const muonBf16: Recipe = decoderRecipe({
  name: 'muon-bf16',
  title: 'Muon with Newton-Schulz steps in bfloat16',
  claim:
    'The Newton-Schulz steps of muon run in bfloat16 without harm, and matrices updated by muon reach a lower loss than with AdamW.',
  sources: [
    {
      text: 'Jordan and others, Muon: An optimizer for hidden layers in neural networks, 2024',
      url: 'https://kellerjordan.github.io/posts/muon/',
    },
    {
      text: 'Liu and others, Muon is Scalable for LLM Training, arXiv 2502.16982',
      url: 'https://arxiv.org/abs/2502.16982',
    },
  ],
  arms: [
    { name: 'float32', about: 'muon, Newton-Schulz steps in float32', training: muonIn('float32') },
    { name: 'bfloat16', about: 'the steps in bfloat16, as published', training: muonIn('bfloat16') },
    { name: 'float16', about: 'the steps in float16', training: muonIn('float16') },
    {
      name: 'e4m3',
      about: 'operands of the products in float8_e4m3fn with one scale a matrix, the rest in bfloat16',
      training: muonIn('float8_e4m3fn'),
    },
    {
      name: 'adamw',
      about: 'all parameters by AdamW with the same rate and decay',
      training: { optimizer: plainAdamw },
    },
  ],
  sizes: { steps: 150 },
  claims: [
    { says: 'within', arm: 'bfloat16', of: 'float32', share: 0.005 },
    { says: 'below', better: 'bfloat16', worse: 'adamw' },
  ],
})
