import type { OptionTable } from '../../base/options/index.js'
import type { Tensor } from '../tensor/index.js'
import type { GradientRules } from './rules/gradientRule.js'
import type { SumOptions } from './rules/sumOptions.js'

/** How a backward pass computes. */
export interface BackwardOptions {
  /** How gradients add where the forward pass repeated an element. */
  readonly sum?: SumOptions
  /** Rules of custom operations, which take precedence over the toolkit's and over an operation's record. */
  readonly rules?: GradientRules
}

export const backwardNames: OptionTable<BackwardOptions> = { sum: 'optional', rules: 'optional' }

/** What was computed from some variables, ready to be walked backwards. */
export interface Recorded {
  /** The tensor as the world outside may have it: without a trace, unless it belongs to an outer graph. */
  readonly plain: (x: Tensor) => Tensor
  /**
   * The cotangents of the variables from those of the outputs, undefined where an output does not depend on one.
   * Operations are walked from the last that ran to the first. Several cotangents of one tensor are added in that order,
   * the latest user's first, each addition rounded to the dtype; `start` has what variables were given before.
   */
  readonly pull: (
    cotangents: readonly (Tensor | undefined)[],
    options: BackwardOptions,
    start?: readonly (Tensor | undefined)[],
  ) => (Tensor | undefined)[]
}
