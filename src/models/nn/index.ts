// Layers as pure functions over trees of parameters: `{ init(key), apply(params, x) }`, no classes, no hidden state. Read
// layer.ts first, then policy.ts (where a layer rounds) and layers/linear.ts. Rooms: initializers, layers, unit (unit scaling).
export type { ApplyOptions, Layer, NoParameters, ParametersOf } from './layer.js'
export type { Policy, PolicyOption } from './policy.js'
export type { Initializer } from './initializers/initializer.js'
export {
  constant,
  normalWeights,
  type NormalWeightsOptions,
  truncatedNormalWeights,
  type TruncatedNormalWeightsOptions,
  uniformWeights,
  type UniformWeightsOptions,
} from './initializers/plain.js'
export {
  type FanOptions,
  varianceScaling,
  type VarianceScalingOptions,
} from './initializers/varianceScaling.js'
export {
  glorotNormal,
  glorotUniform,
  heNormal,
  heUniform,
  lecunNormal,
  lecunUniform,
} from './initializers/named.js'
export { orthogonal, type OrthogonalOptions } from './initializers/orthogonal.js'
export { linear, type LinearOptions, type LinearParameters } from './layers/linear.js'
export { embedding, type EmbeddingOptions, type EmbeddingParameters } from './layers/embedding.js'
export { conv, type ConvOptions, type ConvParameters } from './layers/conv.js'
export type { Padding } from './layers/padding.js'
export { type AttentionLayerOptions, type AttentionParameters, attention } from './layers/attention.js'
export type { Activation } from './layers/activation.js'
export { type Moe, type MoeOptions, type MoeParameters, type MoeRoutes, moe } from './layers/moe.js'
export { mlp, type MlpOptions, type MlpParameters } from './layers/mlp.js'
export {
  layerNorm,
  type LayerNormLayerOptions,
  type NormLayerOptions,
  type NormParameters,
  rmsNorm,
  type RmsNormLayerOptions,
} from './layers/norms.js'
export {
  type GatedNormOptions,
  mamba2,
  type Mamba2Options,
  type Mamba2Parameters,
  type ScanChoice,
} from './layers/mamba2.js'
export { dropout, type DropoutOptions } from './layers/dropout.js'
export { pure, sequential } from './layers/sequential.js'
export { residual } from './layers/residual.js'
export { rescale, type RescaleOptions } from './unit/rescale.js'
export type { UnitConstraint } from './unit/unitFactors.js'
export { unitMatmul, type UnitMatmulOptions } from './unit/unitMatmul.js'
export { unitLinear, type UnitLinearOptions } from './unit/unitLinear.js'
export {
  type UnitActivationOptions,
  unitGelu,
  unitSilu,
  unitSiluGlu,
  type UnitSiluGluOptions,
} from './unit/unitActivations.js'
export { unitSoftmax, type UnitSoftmaxOptions } from './unit/unitSoftmax.js'
export { unitAttention, type UnitAttentionOptions } from './unit/unitAttention.js'
export {
  unitResidual,
  type UnitResidualOptions,
  unitResidualTau,
  type UnitResidualTauOptions,
} from './unit/unitResidual.js'
export { unitEmbedding } from './unit/unitEmbedding.js'
export { unitRmsNorm, type UnitRmsNormOptions } from './unit/unitRmsNorm.js'
export { unitCrossEntropy, type UnitCrossEntropyOptions } from './unit/unitCrossEntropy.js'
