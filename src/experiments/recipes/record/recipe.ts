import type { Outcome, ProductKind, StepReport } from './outcome.js'

/** One of the runs that a recipe compares. */
export interface Arm {
  readonly name: string
  /** What it does, in a clause. */
  readonly about: string
}

/** What the source says about two arms. */
export type Claim =
  /** The loss of `better` is below that of `worse`; or, of products of a kind, the mean error. */
  | {
      readonly says: 'below'
      readonly better: string
      readonly worse: string
      readonly by?: ProductKind
    }
  /** The loss of `arm` is at most `share` above that of `of`. */
  | { readonly says: 'within'; readonly arm: string; readonly of: string; readonly share: number }

/** How large a recipe is run. */
export interface RecipeSizes {
  /** Features of the decoder's residual stream; units of the policy for `rl-mismatch`. */
  readonly width: number
  readonly layers: number
  readonly steps: number
  /** Runs of each arm, seeds 0 to seeds - 1. */
  readonly seeds: number
}

/** A published way to train in few bits, taken apart: what is run with and without each ingredient. */
export interface Recipe {
  readonly name: string
  readonly title: string
  /** What the source reports, in a sentence. */
  readonly claim: string
  readonly sources: readonly { readonly text: string; readonly url: string }[]
  /** What the number is that arms are compared by, lower is better. */
  readonly measures: string
  /** The first one is the baseline. */
  readonly arms: readonly Arm[]
  readonly claims: readonly Claim[]
  /** Under ten minutes on two cores. */
  readonly sizes: RecipeSizes
  /** Under one. */
  readonly quick: RecipeSizes
  /** Runs one arm of one seed: the same arguments give the same outcome, to the bit. */
  readonly run: (arm: string, sizes: RecipeSizes, seed: number, report?: StepReport) => Outcome
}
