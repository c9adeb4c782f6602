// Training: a loop that anyone can read, repeatable to the bit, stopped and resumed without a trace. Needs Node. Read train.ts
// first, then runState.ts, what a checkpoint of a run holds.
export { train } from './train.js'
export type {
  Evaluation,
  Monitor,
  StepContext,
  StepResult,
  TrainCheckpoints,
  Trained,
  TrainHosts,
  TrainOptions,
} from './trainOptions.js'
export type { TrainData } from './trainData.js'
export type { Callback, Ended, StepRecord } from './callback.js'
export { descend, type DescendOptions, type Descent } from './descend.js'
export { effectiveBits } from './effectiveBits.js'
export { earlyStop, type EarlyStopOptions } from './earlyStop.js'
export { stopAtNonFinite } from './stopAtNonFinite.js'
export { type ProgressBar, progressBar } from './progressBar.js'
export { type Screen, showProgress } from './showProgress.js'
