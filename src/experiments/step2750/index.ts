// The step-2750 experiment: a state-space layer of five scalars, trained in low precision until it breaks, or not.
// Read experiments.ts (what is trained on), step2750Model.ts (the layer), then trainStep2750.ts and
// runStep2750.ts; explainRun.ts says why a run ended.
export { type Experiment, type ExperimentName, experiments } from './experiments.js'
export {
  type BroadcastSum,
  type ModelDType,
  modelDTypes,
  type Step2750Options,
  type Step2750Run,
  step2750Options,
} from './step2750Options.js'
export { drawData, type Step2750Data } from './step2750Data.js'
export { type Parameters, parameterNames } from './parameters.js'
export { lossOf, type Sequence, stepsAndRate } from './step2750Model.js'
export { firstPoint, type StepFacts, type TrainPoint, type StepLoss, trainStep2750 } from './trainStep2750.js'
export {
  lastFiniteInputs,
  type Step2750Inputs,
  type Step2750Loss,
  step2750Loss,
  tuneStep2750,
  type TuneStep2750Options,
} from './tuneStep2750.js'
export { type RunStep2750Options, runStep2750, type Step2750Result } from './runStep2750.js'
export type { Checkpoint, CheckpointStore } from './checkpoint.js'
export type { Step2750Record } from './step2750Record.js'
export type { ClockFacts, Explanation } from './explainRun.js'
export type { Addition, SumReading } from './sumReading.js'
export { ablate, type AblateOptions, type AblationRow, ablations } from './ablation.js'
export { runKey, type SweepLists, sweepGrid } from './sweepGrid.js'
export { type SweepRow, sweepRow } from './sweepRow.js'
