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
} from './program/program.js'
export { kindOf, type OpKind } from './program/opKind.js'
export { type WideArithmetic, isWide, type Policy, type Value, type Wide } from './replay/wideArithmetic.js'
export { dtypeArithmetic } from './replay/dtypeArithmetic.js'
export { type RealRule, type Reals, realArithmetic } from './reals/realArithmetic.js'
export { type Big, minus, over, plus, type Real, realOf, root, times, toFloat64 } from './reals/real.js'
export { type Replay, replay } from './replay/replay.js'
export { bitsApart } from './reals/bitsOfError.js'
export {
  type OperationError,
  type OutputError,
  type ReportOptions,
  type Shadow,
  type ShadowOptions,
  type ShadowReport,
  shadow,
} from './shadow/shadow.js'
export { type ShadowEveryOptions, shadowEvery } from './shadow/shadowEvery.js'
export { type ShadowGraphOptions, shadowGraph } from './shadow/shadowGraph.js'
export type { Doubt } from './trust/chosenReference.js'
export type { Branch } from './replay/findBranch.js'
export type { Contribution, ContributionOptions } from './shadow/contributions.js'
export type { ErrorGroup } from './shadow/errorGroups.js'
export type { Divergence, Tie } from './shadow/divergence.js'
export type { ElementErrors } from './shadow/elementErrors.js'
export type { EventKind, PrecisionEvent } from './shadow/event.js'
export type { Fault, FaultOptions } from './shadow/faults.js'
export type { LocalError } from './shadow/localErrors.js'
export type { ErrorSummary } from './shadow/summarize.js'
export { type Certificate, type CertifyOptions, certify } from './certify/certify.js'
export type { OpenDecision } from './certify/openDecisions.js'
export type { ElementBound } from './certify/elementBounds.js'
export {
  type SampledOutput,
  type SignificantBits,
  type SignificantBitsOptions,
  significantBits,
} from './sample/significantBits.js'
export {
  type Significance,
  type SignificanceOptions,
  samplesNeeded,
  significance,
} from './sample/significance.js'
export type { RandomRounding } from './sample/stochasticRound.js'
export { tune, type Tuning } from './tune/tune.js'
export type { Trial, TuneOptions } from './tune/tuneOptions.js'
export { type WidePolicy, withPolicy } from './tune/withPolicy.js'
export type { Target, Tuned } from './tune/tuneTarget.js'
export type { GroupBy } from './program/stepName.js'
export type { TuneGroup } from './tune/tuneGroups.js'
export type { NamedResult } from './tune/tuneTrials.js'
export type { TuneStage } from './tune/tuneSearch.js'
export type { WideCost } from './tune/tuneCost.js'
export {
  type ChoiceCost,
  type ChoiceTuning,
  type Chosen,
  tuneChoices,
  type TuneChoicesOptions,
} from './tune/tuneChoices.js'
export type { Choice } from './replay/choice.js'
export {
  type ErrorLimit,
  type ErrorOver,
  type ErrorOverOptions,
  errorOver,
  type Interval,
  type IntervalTree,
} from './ranges/errorOver.js'
export { type NamedPolicy, namedPolicies } from './tune/namedPolicies.js'
export { deltaDebug, type Passes } from './tune/deltaDebug.js'
export type { BitsKept } from './rewrites/bitsKept.js'
export type { Rewrite, Rewriting } from './rewrites/rewriting.js'
export { type RewriteOptions, suggestRewrites } from './rewrites/suggestRewrites.js'
export type { GradientLeafError } from './training/gradientErrors.js'
export { shadowTrainStep, type TrainStepOptions } from './training/shadowTrainStep.js'
export type {
  GradientLine,
  RoundedConstant,
  TrainStepShadow,
  UpdateLine,
} from './training/trainStep.js'
export type { LeafUpdate } from './training/updates.js'
export {
  compareRuns,
  type CompareOptions,
  type DifferenceKind,
  type RunComparison,
  type RunDifference,
} from './compare/compareRuns.js'
