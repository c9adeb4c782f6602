// Sweeps: an experiment run over many values of its parameters, in threads or wherever a runner puts it; the rows in a file
// that survives a kill. Needs Node. Read trial.ts first, then conduct.ts, which runs what a search asks for.
export { makeTrial, type Params, type ParamValue, type Trial } from './trial.js'
export {
  checkRow,
  type ExperimentFunction,
  type Json,
  type LoadedExperiment,
  loadExperiment,
  type Metrics,
  type Report,
  type Row,
  type TrialContext,
} from './experiment.js'
export { findExperiment, type FindExperimentOptions, type FoundExperiment } from './findExperiment.js'
export { integers, linear, log, type RangeOptions, type ValueRange } from './values.js'
export { type GridOptions, grid, type Search, type Space } from './search.js'
export { type RandomOptions, random } from './random.js'
export { type SobolOptions, sobol } from './sobol.js'
export { type AshaOptions, asha } from './asha.js'
export type { Objective } from './judge.js'
export { type Runner, TrialFailed } from './runner.js'
export { type LocalRunnerOptions, localRunner } from './localRunner.js'
export { type ThreadRunner, threadRunner, type ThreadRunnerOptions } from './threadRunner.js'
export type { TrialRow } from './rowsFile.js'
export type { Watcher } from './conduct.js'
export { runSweep, type SweepOptions, type SweepResult } from './runSweep.js'
export { runTrials, type RunTrialsOptions } from './runTrials.js'
