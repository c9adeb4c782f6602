// Gradient transformations in optax's semantics: values with `init` and `update`, chained. Read transformation.ts first,
// then arithmetic.ts (whose rounding is imitated), scaleByAdam.ts, and adamw.ts, an alias made of named parts.

export type { Arithmetic, ArithmeticOption } from './arithmetic.js'
export type { EmptyState, GradientTransformation, State } from './transformation.js'
export type { Scalar } from './lane.js'
export { chain } from './chain.js'
export { applyUpdates } from './applyUpdates.js'
export { applyGradients, type ApplyGradientsOptions, type Point } from './applyGradients.js'
export { globalNorm } from './globalNorm.js'
export { clip } from './clip.js'
export { clipByGlobalNorm } from './clipByGlobalNorm.js'
export { type ZeroNansState, zeroNans } from './zeroNans.js'
export { scale } from './scale.js'
export { type CountState, scaleBySchedule } from './scaleBySchedule.js'
export { type LearningRate, type LearningRateOptions, scaleByLearningRate } from './scaleByLearningRate.js'
export { addDecayedWeights, type DecayOptions } from './addDecayedWeights.js'
export type { Mask } from './mask.js'
export { type MaskedState, masked } from './masked.js'
export { type AdamOptions, type AdamState, scaleByAdam } from './scaleByAdam.js'
export { adam, type AdamOptimizerOptions, adamw, type AdamwOptions, nadam, nadamw } from './adamw.js'
export { type AmsgradState, amsgrad, scaleByAmsgrad } from './amsgrad.js'
export { type TraceOptions, type TraceState, trace } from './trace.js'
export { sgd, type SgdOptions } from './sgd.js'
export { ema, type EmaOptions, type EmaState } from './ema.js'
export { incrementalUpdate } from './incrementalUpdate.js'
export { applyIfFinite, type ApplyIfFiniteState } from './applyIfFinite.js'
export { multiSteps, type MultiStepsOptions, type MultiStepsState } from './multiSteps.js'
export { type Labels, multiTransform, type MultiTransformState } from './multiTransform.js'
export { type Injectable, injectHyperparams, type InjectHyperparamsState } from './injectHyperparams.js'
export { lookahead, type LookaheadOptions, type LookaheadParams, type LookaheadState } from './lookahead.js'
export { adaptiveGradClip, type AdaptiveGradClipOptions } from './adaptiveGradClip.js'
export { lion, type LionOptions, type LionState, scaleByLion, type ScaleByLionOptions } from './lion.js'
export {
  rmsprop,
  type RmspropOptions,
  type RmsState,
  scaleByRms,
  type ScaleByRmsOptions,
  scaleByStddev,
  type StddevState,
} from './rmsprop.js'
export { adagrad, type AdagradOptions, type RssState, scaleByRss, type ScaleByRssOptions } from './adagrad.js'
export {
  adafactor,
  type AdafactorOptions,
  clipByBlockRms,
  scaleByParamBlockRms,
} from './adafactor.js'
export { type FactoredRmsOptions, type FactoredState, scaleByFactoredRms } from './scaleByFactoredRms.js'
export { scaleByTrustRatio, type TrustRatioOptions } from './scaleByTrustRatio.js'
export { lamb, type LambOptions } from './lamb.js'
export { lars, type LarsOptions } from './lars.js'
export { adabelief, type BeliefOptions, scaleByBelief } from './adabelief.js'
export { radam, type RadamOptions, scaleByRadam } from './radam.js'
export { scaleByYogi, yogi, type YogiOptions } from './yogi.js'
export { adamax, type AdamaxOptions, scaleByAdamax } from './adamax.js'
export {
  adadelta,
  type AdadeltaOptions,
  type AdadeltaState,
  scaleByAdadelta,
  type ScaleByAdadeltaOptions,
} from './adadelta.js'
export { createOptimizer, type CreateOptimizerOptions } from './createOptimizer.js'
export { makeTrainStep, type TrainedPoint } from './makeTrainStep.js'
export { emaUpdate, type EmaUpdateOptions } from './emaUpdate.js'
export { stateFromTree, stateToTree } from './stateTree.js'
export { lrForDModel, type LrForDModelOptions } from './lrForDModel.js'
export { mup, type Mup } from './mup.js'
export type { MupParameter, MupShapes, Shapes } from './mupTable.js'
export { type CoordinateCheck, coordinateCheck, type CoordinateCheckOptions } from './coordinateCheck.js'
