// Where the bits of a computation went: shadow runs, rigorous bounds, Monte Carlo rounding, replays in other dtypes.
// Read program.ts first (a recorded run), then replay.ts, shadow.ts, certify.ts and significantBits.ts. Any function of
// tensors will do, gradients inside included: what it does with them is recorded through their traces.
export {
  type Operand,
  type Program,
  type ProgramOptions,
  programOf,
  recorded,
  type Step,
  type TensorFunction,
} from './program.js'
export { kindOf, type OpKind } from './opKind.js'
export { type Arithmetic, isWide, type Policy, type Value, type Wide } from './arithmetic.js'
export { dtypeArithmetic } from './dtypeArithmetic.js'
export { type RealRule, type Reals, realArithmetic } from './realArithmetic.js'
export { type Big, minus, over, plus, type Real, realOf, root, times, toFloat64 } from './real.js'
export { type Replay, replay } from './replay.js'
export { bitsApart } from './bitsOfError.js'
export { type Grid, gridOf } from './grid.js'
export {
  type OperationError,
  type OutputError,
  type Shadow,
  type ShadowOptions,
  type ShadowReport,
  shadow,
} from './shadow.js'
export { type ShadowEveryOptions, shadowEvery } from './shadowEvery.js'
export { type ShadowGraphOptions, shadowGraph } from './shadowGraph.js'
export type { Branch } from './checkRun.js'
export type { Contribution, ContributionOptions } from './contributions.js'
export type { Divergence } from './divergence.js'
export type { ElementErrors } from './elementErrors.js'
export type { EventKind, PrecisionEvent } from './event.js'
export type { LocalError } from './localErrors.js'
export type { ErrorSummary } from './summarize.js'
export { type Certificate, type CertifyOptions, certify } from './certify.js'
export type { ElementBound } from './elementBounds.js'
export {
  type SampledOutput,
  type SignificantBits,
  type SignificantBitsOptions,
  significantBits,
} from './significantBits.js'
export { type Significance, type SignificanceOptions, samplesNeeded, significance } from './significance.js'
export type { RandomRounding } from './stochasticRound.js'
export { tune, type Tuning } from './tune.js'
export type { Trial, TuneOptions } from './tuneOptions.js'
export { type WidePolicy, withPolicy } from './withPolicy.js'
export type { Target, Tuned } from './tuneTarget.js'
export type { GroupBy } from './stepName.js'
export type { TuneGroup } from './tuneGroups.js'
export type { NamedResult } from './tuneTrials.js'
export type { TuneStage } from './tuneSearch.js'
export type { WideCost } from './tuneCost.js'
export { type NamedPolicy, namedPolicies } from './namedPolicies.js'
export { deltaDebug, type Passes } from './deltaDebug.js'
