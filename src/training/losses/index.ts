// Losses in optax's semantics and names: tensor programs, so that gradients, the doctor and every dtype come with them.
// Each has one value for an element or a lane; who wants their mean takes `mean`. Read softmaxCrossEntropy.ts first.

export type { LossOptions, SummedLossOptions } from './lossOptions.js'
export { l2Loss, squaredError } from './squaredError.js'
export { huberLoss, type HuberOptions } from './huberLoss.js'
export { logCosh } from './logCosh.js'
export { cosineDistance, type CosineOptions, cosineSimilarity } from './cosineSimilarity.js'
export {
  type FocalOptions,
  sigmoidBinaryCrossEntropy,
  sigmoidFocalLoss,
} from './sigmoidBinaryCrossEntropy.js'
export { hingeLoss, perceptronLoss } from './hingeLoss.js'
export { multiclassHingeLoss, multiclassPerceptronLoss } from './multiclassHingeLoss.js'
export {
  polyLossCrossEntropy,
  type PolyLossOptions,
  safeSoftmaxCrossEntropy,
  softmaxCrossEntropy,
  softmaxCrossEntropyWithIntegerLabels,
} from './softmaxCrossEntropy.js'
export { generalizedKlDivergence, klDivergence, klDivergenceWithLogTargets } from './klDivergence.js'
export { ctcLoss, type CtcOptions } from './ctcLoss.js'
export { smoothLabels, type SmoothLabelsOptions } from './smoothLabels.js'
export { diceLoss, type DiceOptions } from './diceLoss.js'
export { makeFenchelYoungLoss } from './makeFenchelYoungLoss.js'
export { ntxent, type NtxentOptions } from './ntxent.js'
export { tripletMarginLoss, type TripletOptions } from './tripletMarginLoss.js'
