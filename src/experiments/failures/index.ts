// A gallery of low-precision failures that people met: each one a small run of the naive way and the stable way, with a
// verdict computed from the numbers, a cited source, and options that take the defect out. Read failure.ts first.

export type {
  Cure,
  DTypeOption,
  Failure,
  FailureAxis,
  FailureFigure,
  FailureRun,
  FailureSeries,
  Readings,
  Repair,
  Verdict,
} from './record/failure.js'
export {
  type Computation,
  type Examination,
  type Examined,
  examination,
  type Finding,
  findingOf,
  type OnTrial,
} from './record/examination.js'
export { bfloat16Draws } from './record/bfloat16Draws.js'
export { gallery } from './gallery.js'
export { onesStall, type OnesStallOptions } from './onesStall.js'
export { neumaierStalls, type NeumaierStallsOptions } from './neumaierStalls.js'
export { lossMetricStuck, type LossMetricStuckOptions } from './lossMetricStuck.js'
export { decayAboveOne, type DecayAboveOneOptions } from './decayAboveOne.js'
export { maskAfterExp, type MaskAfterExpOptions } from './maskAfterExp.js'
export { decayRoundsToOne, type DecayRoundsToOneOptions } from './decayRoundsToOne.js'
export { epsUnderflow, type EpsUnderflowOptions } from './epsUnderflow.js'
export { beta2RoundsToOne, type Beta2RoundsToOneOptions } from './beta2RoundsToOne.js'
export { updateUnderHalfUlp, type UpdateUnderHalfUlpOptions } from './updateUnderHalfUlp.js'
export { emaStall, type EmaStallOptions } from './emaStall.js'
export { gradientAccumulation, type GradientAccumulationOptions } from './gradientAccumulation.js'
export { ringAllReduce, type RingAllReduceOptions } from './ringAllReduce.js'
export { ropePositionsAlias, type RopePositionsAliasOptions } from './kernels/ropePositionsAlias.js'
export { attentionTies, type AttentionTiesOptions } from './kernels/attentionTies.js'
export { attentionMaskedRow, type AttentionMaskedRowOptions } from './kernels/attentionMaskedRow.js'
export {
  attentionFusedExponent,
  type AttentionFusedExponentOptions,
} from './kernels/attentionFusedExponent.js'
export { ropeScoreDrifts, type RopeScoreDriftsOptions } from './kernels/ropeScoreDrifts.js'
export { routerChangesExperts, type RouterChangesExpertsOptions } from './kernels/routerChangesExperts.js'
export { capacityDropsTokens, type CapacityDropsTokensOptions } from './kernels/capacityDropsTokens.js'
export { layerNormFastVariance, type LayerNormFastVarianceOptions } from './kernels/layerNormFastVariance.js'
export { fp8ScaleLate, type Fp8ScaleLateOptions } from './kernels/fp8ScaleLate.js'
export { fp8SumsShort, type Fp8SumsShortOptions } from './kernels/fp8SumsShort.js'
export { bf16x3Low, type Bf16x3LowOptions } from './kernels/bf16x3Low.js'
export { servingDisagrees, type ServingDisagreesOptions } from './kernels/servingDisagrees.js'
export { batchChangesRow, type BatchChangesRowOptions, type ServedWay } from './kernels/batchChangesRow.js'
export { logSoftmaxCollapse, type LogSoftmaxCollapseOptions } from './logSoftmaxCollapse.js'
export { negativeVariance, type NegativeVarianceOptions } from './negativeVariance.js'
export { covarianceLosesRank, type CovarianceLosesRankOptions } from './covarianceLosesRank.js'
export { tanhReachesBound, type TanhReachesBoundOptions } from './tanhReachesBound.js'
export { lossScaleCollapse, type LossScaleCollapseOptions } from './lossScaleCollapse.js'
export { clipThenZeroNans, type ClipThenZeroNansOptions } from './clipThenZeroNans.js'
export { vqWrongCodes, type VqWrongCodesOptions } from './codebooks/vqWrongCodes.js'
export { codebookSizeStalls, type CodebookSizeStallsOptions } from './codebooks/codebookSizeStalls.js'
export { fsqIndicesCollide, type FsqIndicesCollideOptions } from './codebooks/fsqIndicesCollide.js'
export { discountRoundsToOne, type DiscountRoundsToOneOptions } from './rl/discountRoundsToOne.js'
export { gaeOfLargeValues, type GaeOfLargeValuesOptions } from './rl/gaeOfLargeValues.js'
export { ratioStuckAtOne, type RatioStuckAtOneOptions } from './rl/ratioStuckAtOne.js'
export { manyActionsClipped, type ManyActionsClippedOptions } from './rl/manyActionsClipped.js'
export { rolloutAndLearner, type RolloutAndLearnerOptions } from './rl/rolloutAndLearner.js'
export { meanOfMeans, type MeanOfMeansOptions } from './rl/meanOfMeans.js'
export { featureOfRounding, type FeatureOfRoundingOptions } from './rl/featureOfRounding.js'
export { automatonStandsStill, type AutomatonStandsStillOptions } from './rl/automatonStandsStill.js'
