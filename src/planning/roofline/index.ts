// What bounds an operation and a step: compute, HBM, links between chips, network, host; a lower bound of a step's time and an
// estimate with its assumptions. Read critical.ts first, then trainingStep.ts.
export {
  type BatchOptions,
  criticalBatch,
  criticalIntensity,
  type IntensityOptions,
  type ParallelLimits,
  type ParallelOptions,
  parallelLimits,
} from './critical.js'
export { type Efficiency, efficiencyOf, routingEfficiency, utilisationOf } from './efficiency.js'
export {
  type Calibration,
  calibrate,
  type Constant,
  defaultCalibration,
  type ExpertConstants,
} from './calibrate.js'
export { measured } from './measured.js'
export { type Measured, publishedRuns, type RunKind } from './published.js'
export { type RunError, runErrors } from './runErrors.js'
export {
  type BoundBy,
  type OperationBound,
  type OperationBoundOptions,
  type OperationBoundsOptions,
  type OperationCost,
  type OperationRow,
  operationBound,
  operationBounds,
} from './operationBounds.js'
export { type RooflinePoint, rooflineSvg } from './rooflineSvg.js'
export { prefillSeconds, type ServingOptions, type ServingStep, servingStep } from './serving.js'
export type { DecodePlan, PrefillPlan } from './servingRates.js'
export {
  type ServingPlan,
  type ServingPlanOptions,
  servingPlan,
} from './servingPlan.js'
export { publishedServing, type ServedRun } from './publishedServing.js'
export { type ReachedShare, type ServingShare, servingShares } from './reachedShares.js'
export { type SpeculativeOptions, speculativeTokens } from './speculative.js'
export { type StepTerms, type TrainingStep, type TrainingStepOptions, trainingStep } from './trainingStep.js'
