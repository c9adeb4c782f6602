// Gradient transformations in optax's semantics: values with `init` and `update`, chained. Read transformation.ts first, then
// arithmetic/arithmetic.ts (tensor operations, rounded as IEEE or XLA has it), rescalings/scaleByAdam.ts, and adams/adamw.ts, an
// alias made of named parts. Rooms, each using those before it: arithmetic, wrappers, transforms, rescalings, step, adams (means of
// gradients and squares), optimizers (all others), unscheduled (rates that find themselves), objective (what needs the loss), mup.

export { chain } from './chain.js'
export { namedChain } from './namedChain.js'
export type { Mask } from './mask.js'
export type { EmptyState, ExtraArgs, GradientTransformation, Optimizer, State } from './transformation.js'

export type { Arithmetic, ArithmeticOption } from './arithmetic/arithmetic.js'
export type { Scalar } from './arithmetic/operand.js'
export { globalNorm } from './arithmetic/globalNorm.js'

export { applyGradients } from './step/applyGradients.js'
export type { ApplyGradientsOptions, Point, MakeTrainStepOptions } from './step/point.js'
export { applyUpdates } from './step/applyUpdates.js'
export { emaUpdate, type EmaUpdateOptions } from './step/emaUpdate.js'
export { incrementalUpdate } from './step/incrementalUpdate.js'
export { makeTrainStep, type TrainedPoint, type TrainStep } from './step/makeTrainStep.js'
export { stateFromTree, stateToTree } from './stateTree.js'
export { withTensorState } from './step/withTensorState.js'

export { adaptiveGradClip, type AdaptiveGradClipOptions } from './transforms/adaptiveGradClip.js'
export { addDecayedWeights, type DecayOptions } from './transforms/addDecayedWeights.js'
export { addNoise, type AddNoiseOptions, type AddNoiseState } from './transforms/addNoise.js'
export { applyEvery, type ApplyEveryState } from './transforms/applyEvery.js'
export { centralize } from './transforms/centralize.js'
export { clip } from './transforms/clip.js'
export { clipByBlockRms } from './transforms/clipByBlockRms.js'
export { clipByGlobalNorm } from './transforms/clipByGlobalNorm.js'
export {
  differentiallyPrivateAggregate,
  type DifferentiallyPrivateOptions,
  type DifferentiallyPrivateState,
} from './transforms/differentiallyPrivateAggregate.js'
export { ema, type EmaOptions, type EmaState } from './transforms/ema.js'
export { freeze, selectiveTransform } from './transforms/freeze.js'
export { identity } from './transforms/identity.js'
export {
  normalizeByUpdateNorm,
  type NormalizeByUpdateNormOptions,
} from './transforms/normalizeByUpdateNorm.js'
export { normalize } from './transforms/normalize.js'
export { scale } from './transforms/scale.js'
export { setToZero } from './transforms/setToZero.js'
export {
  type LearningRate,
  type LearningRateOptions,
  scaleByLearningRate,
} from './transforms/scaleByLearningRate.js'
export { scaleByShape, type ScaleByShapeOptions } from './transforms/scaleByShape.js'
export { type CountState, scaleBySchedule } from './transforms/scaleBySchedule.js'
export { trace, type TraceOptions, type TraceState } from './transforms/trace.js'
export { zeroNans, type ZeroNansState } from './transforms/zeroNans.js'

export {
  type AdadeltaState,
  scaleByAdadelta,
  type ScaleByAdadeltaOptions,
} from './rescalings/scaleByAdadelta.js'
export { type AdamOptions, type AdamState, scaleByAdam } from './rescalings/scaleByAdam.js'
export {
  type AdemamixState,
  scaleByAdemamix,
  type ScaleByAdemamixOptions,
} from './rescalings/scaleByAdemamix.js'
export { type AdanState, scaleByAdan, type ScaleByAdanOptions } from './rescalings/scaleByAdan.js'
export { scaleByAdopt, type ScaleByAdoptOptions } from './rescalings/scaleByAdopt.js'
export { type AdamaxOptions, scaleByAdamax } from './rescalings/scaleByAdamax.js'
export { type AmsgradOptions, type AmsgradState, scaleByAmsgrad } from './rescalings/scaleByAmsgrad.js'
export { type BeliefOptions, scaleByBelief } from './rescalings/scaleByBelief.js'
export {
  type FactoredRmsOptions,
  type FactoredState,
  scaleByFactoredRms,
} from './rescalings/scaleByFactoredRms.js'
export { type LionState, scaleByLion, type ScaleByLionOptions } from './rescalings/scaleByLion.js'
export {
  type NovogradState,
  scaleByNovograd,
  type ScaleByNovogradOptions,
} from './rescalings/scaleByNovograd.js'
export {
  type OptimisticOptions,
  type OptimisticState,
  scaleByOptimisticGradient,
} from './rescalings/scaleByOptimisticGradient.js'
export type { MuonDimensionNumbers, WeightDimensionNumbers } from './arithmetic/muonDimensions.js'
export {
  type MuonState,
  type NewtonSchulz,
  scaleByMuon,
  type ScaleByMuonOptions,
} from './rescalings/scaleByMuon.js'
export { scaleByParamBlockRms } from './rescalings/scaleByParamBlockRms.js'
export { type RadamOptions, scaleByRadam } from './rescalings/scaleByRadam.js'
export { type RmsState, scaleByRms, type ScaleByRmsOptions } from './rescalings/scaleByRms.js'
export { type RssState, scaleByRss, type ScaleByRssOptions } from './rescalings/scaleByRss.js'
export { type RpropOptions, type RpropState, scaleByRprop } from './rescalings/scaleByRprop.js'
export { scaleBySign } from './rescalings/scaleBySign.js'
export { scaleBySm3, type ScaleBySm3Options, type Sm3State } from './rescalings/scaleBySm3.js'
export { scaleByStddev, type StddevState } from './rescalings/scaleByStddev.js'
export { scaleByTrustRatio, type TrustRatioOptions } from './rescalings/scaleByTrustRatio.js'
export { scaleByYogi, type YogiOptions } from './rescalings/scaleByYogi.js'

export { applyIfFinite, type ApplyIfFiniteState } from './wrappers/applyIfFinite.js'
export {
  type Condition,
  type ConditionalState,
  conditionallyMask,
  conditionallyTransform,
} from './wrappers/conditionallyTransform.js'
export {
  type Injectable,
  injectHyperparams,
  type InjectHyperparamsState,
} from './wrappers/injectHyperparams.js'
export {
  lookahead,
  type LookaheadOptimizer,
  type LookaheadOptions,
  type LookaheadParams,
  type LookaheadState,
} from './wrappers/lookahead.js'
export { masked, type MaskedState } from './wrappers/masked.js'
export { multiSteps, type MultiStepsOptions, type MultiStepsState } from './wrappers/multiSteps.js'
export { type Labels, multiTransform, type MultiTransformState } from './wrappers/multiTransform.js'
export { partition } from './wrappers/partition.js'
export type {
  MomentSign,
  StateFormat,
  StateFormatName,
  StateFormatOption,
  StateFormatOptions,
} from './wrappers/stateFormat.js'
export { storedState } from './wrappers/storedState.js'
export { type SkipCondition, skipLargeUpdates } from './wrappers/skipLargeUpdates.js'

export { adabelief } from './adams/adabelief.js'
export { adadelta, type AdadeltaOptions } from './optimizers/adadelta.js'
export { adafactor, type AdafactorOptions } from './optimizers/adafactor.js'
export { adagrad, type AdagradOptions } from './optimizers/adagrad.js'
export { adam, type AdamOptimizerOptions } from './adams/adam.js'
export { adamax } from './adams/adamax.js'
export { adamaxw, type AdamaxwOptions } from './adams/adamaxw.js'
export { adamw, type AdamwOptions, type AdamwState } from './adams/adamw.js'
export { ademamix, type AdemamixOptions } from './adams/ademamix.js'
export { adan, type AdanOptions } from './adams/adan.js'
export { adopt, type AdoptOptions } from './adams/adopt.js'
export { amsgrad } from './adams/amsgrad.js'
export { createOptimizer, type CreateOptimizerOptions } from './optimizers/createOptimizer.js'
export {
  createPythonOptimizer,
  type CreatePythonOptimizerOptions,
} from './optimizers/createPythonOptimizer.js'
export { fromage, type FromageOptions } from './optimizers/fromage.js'
export { lamb, type LambOptions } from './adams/lamb.js'
export { lars, type LarsOptions } from './optimizers/lars.js'
export { lion, type LionOptions } from './optimizers/lion.js'
export { muon, type MuonOptions } from './optimizers/muon.js'
export { nadam } from './adams/nadam.js'
export { nadamw } from './adams/nadamw.js'
export { noisySgd, type NoisySgdOptions } from './optimizers/noisySgd.js'
export { novograd, type NovogradOptions } from './adams/novograd.js'
export {
  optimisticGradientDescent,
  type OptimisticGradientDescentOptions,
} from './optimizers/optimisticGradientDescent.js'
export {
  cocob,
  type CocobOptions,
  type CocobState,
  scaleByCocob,
  type ScaleByCocobOptions,
} from './unscheduled/cocob.js'
export { dadaptAdamw, type DadaptAdamwOptions } from './unscheduled/dadaptAdamw.js'
export type { DadaptAdamwState } from './unscheduled/distanceMoments.js'
export type { FoundRateOptions } from './unscheduled/foundRate.js'
export { dog, type DogOptions, type DogState, scaleByDog, type ScaleByDogOptions } from './unscheduled/dog.js'
export {
  dowg,
  type DowgOptions,
  type DowgState,
  scaleByDowg,
  type ScaleByDowgOptions,
} from './unscheduled/dowg.js'
export { prodigy, type ProdigyOptions, type ProdigyState } from './unscheduled/prodigy.js'
export { radam } from './adams/radam.js'
export { rmsprop, type RmspropOptions } from './optimizers/rmsprop.js'
export { rprop } from './optimizers/rprop.js'
export { sgd, type SgdOptions } from './optimizers/sgd.js'
export { signSgd, type SignSgdOptions } from './optimizers/signSgd.js'
export { signum, type SignumOptions } from './optimizers/signum.js'
export { sm3, type Sm3Options } from './optimizers/sm3.js'
export { yogi } from './adams/yogi.js'

export {
  scheduleFree,
  scheduleFreeEvalParams,
  type ScheduleFreeOptions,
  type ScheduleFreeState,
} from './unscheduled/scheduleFree.js'
export { scheduleFreeAdamw, type ScheduleFreeAdamwOptions } from './unscheduled/scheduleFreeAdamw.js'
export { scheduleFreeSgd, type ScheduleFreeSgdOptions } from './unscheduled/scheduleFreeSgd.js'

export { lbfgs, type LbfgsOptions } from './objective/lbfgs.js'
export { momo, type MomoOptions, type MomoState } from './objective/momo.js'
export { momoAdam, type MomoAdamOptions, type MomoAdamState } from './objective/momoAdam.js'
export { polyakSgd, type PolyakSgdOptions } from './objective/polyakSgd.js'
export {
  reduceOnPlateau,
  type ReduceOnPlateauOptions,
  type ReduceOnPlateauState,
} from './objective/reduceOnPlateau.js'
export {
  hutchinsonEstimatorDiagHessian,
  type HutchinsonOptions,
  type HutchinsonState,
} from './objective/hutchinsonEstimatorDiagHessian.js'
export { sam, type SamOptions, type SamState } from './objective/sam.js'
export {
  type BacktrackingLinesearchOptions,
  type BacktrackingLinesearchState,
  scaleByBacktrackingLinesearch,
} from './objective/scaleByBacktrackingLinesearch.js'
export { type LbfgsState, scaleByLbfgs, type ScaleByLbfgsOptions } from './objective/scaleByLbfgs.js'
export { type PolyakOptions, scaleByPolyak } from './objective/scaleByPolyak.js'
export {
  scaleByZoomLinesearch,
  type ZoomLinesearchOptions,
  type ZoomLinesearchState,
} from './objective/scaleByZoomLinesearch.js'
export { scaleBySophia, type ScaleBySophiaOptions, type SophiaState } from './objective/scaleBySophia.js'
export { sophia, type SophiaOptions } from './objective/sophia.js'

export { type CoordinateCheck, coordinateCheck, type CoordinateCheckOptions } from './mup/coordinateCheck.js'
export { lrForDModel, type LrForDModelOptions } from './mup/lrForDModel.js'
export { mup, type Mup } from './mup/mup.js'
export { type Umup, type UmupOptions, umup } from './mup/umup.js'
export type { MupParameter, MupShapes, Shapes } from './mup/mupTable.js'

export { optimisticAdamV2, type OptimisticAdamV2Options } from './optimizers/optimisticAdamV2.js'
export { keepParamsNonnegative } from './transforms/keepParamsNonnegative.js'
export { scaleByParamBlockNorm } from './rescalings/scaleByParamBlockNorm.js'
export {
  type Measure,
  measureWithEma,
  monitor,
  type MonitorState,
  snapshot,
  type SnapshotState,
} from './transforms/monitor.js'
export {
  perExampleGlobalNormClip,
  perExampleLayerNormClip,
  type PerExampleLayerOptions,
} from './transforms/perExampleClip.js'
export { skipNotFinite } from './wrappers/skipNotFinite.js'
export { treeMapParams, type TreeMapParamsOptions } from './treeMapParams.js'
export { periodicUpdate } from './step/periodicUpdate.js'
export { microbatch, type MicrobatchOptions } from './objective/microbatch.js'
export { powerIteration, type PowerIterationOptions } from './objective/powerIteration.js'
export {
  type Bound,
  projectionBox,
  projectionHypercube,
  projectionLinfBall,
  projectionNonNegative,
} from './projections/projectionBox.js'
export {
  projectionHalfspace,
  projectionHyperplane,
  projectionL2Ball,
  projectionL2Sphere,
  projectionVector,
} from './projections/projectionL2.js'
export { projectionL1Ball, projectionL1Sphere, projectionSimplex } from './projections/projectionSimplex.js'
