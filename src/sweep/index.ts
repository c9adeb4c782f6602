// Sweeps: an experiment run over many values of its parameters, in threads or wherever a runner puts it; the rows in a file
// that survives a kill. Needs Node. Read trial.ts first, then runTrials.ts, which keeps the rows.
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
export { type Runner, TrialFailed } from './runner.js'
export { localRunner } from './localRunner.js'
export { threadRunner, type ThreadRunnerOptions } from './threadRunner.js'
export type { TrialRow } from './rowsFile.js'
export { runTrials, type RunTrialsOptions } from './runTrials.js'
