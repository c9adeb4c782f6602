/** The dtypes in which parameters are stored. */
export const storedDTypes = ['bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2'] as const
export type StoredDType = (typeof storedDTypes)[number]

/** The optimizers that train them. */
export const storedOptimizers = ['adamw', 'sgd', 'lion', 'rmsprop'] as const
export type StoredOptimizer = (typeof storedOptimizers)[number]

/** How an update reaches a parameter. */
export const storedModes = ['nearest', 'stochastic', 'kahan', 'master'] as const
export type StoredName = (typeof storedModes)[number]

/** A training of which the four ways are compared. */
export interface StoredAsked {
  readonly kind: 'stored'
  readonly optimizer: StoredOptimizer
  readonly rate: number
  readonly dtype: StoredDType
  readonly steps: number
  readonly seed: number
}

/** One way, by the step. */
export interface StoredRun {
  readonly mode: StoredName
  /** The share of the step's updates that are under half an ulp of their parameter. */
  readonly tooSmall: readonly number[]
  /** The largest distance of a parameter from the same training in float64. */
  readonly distance: readonly number[]
}

export const parametrizations = ['standard', 'inverse-sqrt', 'mup'] as const
export type Parametrization = (typeof parametrizations)[number]

/** A coordinate check, of the three parametrizations. */
export interface WidthsAsked {
  readonly kind: 'widths'
  readonly widths: readonly number[]
  readonly steps: number
}

/** How large the outputs are by the width, for one parametrization. */
export interface WidthsRun {
  readonly parametrization: Parametrization
  readonly outputs: readonly number[]
  readonly slope: number
}

export type OptimizersAsked = StoredAsked | WidthsAsked

/** What came of it, beside what was asked. */
export interface StoredAnswer {
  readonly asked: StoredAsked
  readonly runs: readonly StoredRun[]
}

export interface WidthsAnswer {
  readonly asked: WidthsAsked
  readonly runs: readonly WidthsRun[]
}

/** What the worker says: parts have the runs that are done. */
export type OptimizersTold =
  | { readonly part: StoredAnswer | WidthsAnswer }
  | { readonly answer: StoredAnswer | WidthsAnswer }
  | { readonly failed: string }
