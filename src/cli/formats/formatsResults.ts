import type { Skipped } from '../io/openFloatTensors.js'
import type { CodebookRow } from './codebooks.js'
import type { Measurement } from './measure.js'

/** The results of a run: everything that is printed and written comes from here. */
export interface FormatsResults {
  readonly seed: number
  /** The name of the weights file, without its folder. */
  readonly file: string | undefined
  readonly finding: string
  /** Held-out losses of the model, if one was trained. */
  readonly model: { readonly before: number; readonly after: number } | undefined
  readonly sets: readonly SetResults[]
  /** Tensors that were not measured. */
  readonly skipped: readonly Skipped[]
}

/** What was measured on one data set. */
export interface SetResults {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly finding: string
  /** One measurement a way, of all tensors together. */
  readonly rows: readonly Measurement[]
  /** The same tensor by tensor; empty where there is one tensor only. */
  readonly perTensor: readonly Measurement[]
  readonly tensors: readonly { readonly name: string; readonly shape: readonly number[] }[]
  /** What codebooks make of it; empty where they were not measured. */
  readonly codebooks: readonly CodebookRow[]
  /** Percent of the values, zeros included, with 2^x <= |value| < 2^(x + 1). */
  readonly histogram: readonly { readonly x: number; readonly y: number }[]
}
