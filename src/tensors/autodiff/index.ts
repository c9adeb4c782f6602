// Gradients and other functions of functions, faithful to dtype: every operation of a backward pass rounds once, as the
// forward pass does. Read grad.ts first, then backward.ts (the walk), arithmeticRules.ts (what a rule is), scan/body.ts (a
// function recorded, for scan and vmap), forward/push.ts (tangents) and findFirstNonFinite.ts.
export { type Gradient, type GradOptions, grad, valueAndGrad } from './grad.js'
export type { BackwardOptions } from './backwardOptions.js'
export type { SumOptions } from './rules/sumOptions.js'
export type { GradientRule, GradientRules, RuleContext } from './rules/gradientRule.js'
export { type Pullback, vjp } from './vjp.js'
export { checkpoint } from './checkpoint.js'
export { type JvpOptions, jvp } from './jvp.js'
export type { TangentContext, TangentRule, TangentRules } from './forward/tangentRule.js'
export { type Argnums, type HessianOptions, hessian, type JacobianOptions, jacobian } from './jacobian.js'
export { fisherDiag, hessianDiag, hvp } from './hvp.js'
export { type VmapOptions, vmap } from './vmap/vmap.js'
export type { BatchAxes } from './vmap/axes.js'
export type { BatchContext, BatchRule, BatchRules } from './vmap/batchRule.js'
export { type ScanOptions, scan } from './scan/scan.js'
export { type Loop, type Scanned, scanOp } from './scan/scanOp.js'
export type { Body, Step } from './scan/body.js'
export { type CheckGradsOptions, checkGrads, type GradientError } from './checkGrads.js'
export { scaleGradient } from './rules/scaleGradient.js'
export { stopGradient } from './rules/stopGradient.js'
export { type GraphNode, graphOf, record } from './graph/graphOf.js'
export { findFirstNonFinite } from './explain/findFirstNonFinite.js'
export type { ChainStep, ElementStep, HistoryStep, NonFinite, NonFiniteKind } from './explain/nonFinite.js'
export {
  type Watched,
  type WatchedEvent,
  type WatchedInput,
  type WatchOptions,
  watchNonFinite,
} from './explain/watchNonFinite.js'
export { explain } from './explain/explain.js'
export { type ExceptionRule, exceptionRule } from './explain/exceptionRules.js'
export { invalidKind } from './explain/eventKind.js'
