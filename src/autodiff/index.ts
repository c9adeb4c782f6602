// Reverse-mode gradients, faithful to dtype: every operation of a backward pass rounds once, as the forward pass does.
// Read grad.ts first, then backward.ts (the walk), arithmeticRules.ts (what a rule is) and findFirstNonFinite.ts.
export { type GradOptions, grad, valueAndGrad } from './grad.js'
export type { BackwardOptions } from './backward.js'
export type { SumOptions } from './sumOptions.js'
export type { GradientRule, GradientRules, RuleContext } from './gradientRule.js'
export { type Pullback, vjp } from './vjp.js'
export { checkpoint } from './checkpoint.js'
export { type CheckGradsOptions, checkGrads, type GradientError } from './checkGrads.js'
export { stopGradient, stopGradientOp } from './stopGradient.js'
export { type GraphNode, graphOf, record } from './graphOf.js'
export { findFirstNonFinite } from './findFirstNonFinite.js'
export type { ChainStep, ElementStep, HistoryStep, NonFinite, NonFiniteKind } from './nonFinite.js'
export { explain } from './explain.js'
