/** What is asked of the worker: to run a program, or to have the doctor examine it as well. */
export interface ProgramAsked {
  readonly code: string
  readonly examine: boolean
}

/** A line of the program, and what the doctor has to say of it. */
export interface LineNote {
  readonly line: number
  readonly text: string
  /** Its share of the outputs' error, to first order; null where that is not known. */
  readonly share: number | null
}

/** What the doctor found. */
export interface Diagnosis {
  readonly report: string
  readonly lines: readonly LineNote[]
  /** For each output its size and the largest certified bound of |computed - exact|. */
  readonly certified: readonly { readonly output: string; readonly bound: number; readonly open: number }[]
  readonly rewrites: string
  /** The least set to keep wide, where the program exports a target. */
  readonly tuned: string | null
}

/** What the worker says. */
export type ProgramTold =
  | { readonly printed: string; readonly wrong?: boolean }
  | { readonly diagnosis: Diagnosis }
  | {
      readonly ended: 'well' | 'badly'
      readonly milliseconds: number
      /** The line of the program where an error arose, from 1 on. */
      readonly line?: number
    }
  | { readonly failed: string }
