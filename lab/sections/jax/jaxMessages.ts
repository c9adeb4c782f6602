/** What is asked of the worker: to examine a program, or for the values of one operation of the last one. */
export type JaxAsked =
  | {
      readonly program: JaxProgram
      /** Steps on its own results; 1 runs it once. */
      readonly steps: number
      /** Of arguments that no file gives. */
      readonly seed: number
    }
  | { readonly values: number }

/** The files of a program: its text or model, its inputs, sources of its lines. */
export interface JaxProgram {
  readonly name: string
  readonly text: Blob
  readonly inputs: { readonly name: string; readonly data: Blob } | undefined
  readonly sources: readonly { readonly name: string; readonly text: string }[]
}

/** A line of the program's source, and what the operations that came of it do. */
export interface LineRow {
  /** `ssm.py:13`; of operations without a line the empty text. */
  readonly line: string
  /** What stands there, where the source is known. */
  readonly source: string
  readonly operations: readonly OperationRow[]
  /** The largest error, in bits, that one of them adds by its own rounding. */
  readonly introduced: number
  /** The share of the worst output's error, to first order; undefined until it is known, or where it cannot be. */
  readonly share?: number
  /** Bits that the worst output gains where nothing on this line is rounded. */
  readonly gain?: number
}

/** One operation of a run. */
export interface OperationRow {
  readonly step: number
  readonly op: string
  readonly dtype: string
  readonly shape: readonly number[]
  readonly site: string
  /** Whether it only moves elements, and rounds nothing. */
  readonly moves: boolean
  /** Bits off at the worst element: by its own rounding, and altogether. */
  readonly introduced: number
  readonly total: number
}

/** An output, and how far it is off. */
export interface OutputRow {
  readonly name: string
  readonly precision: number
  readonly worst: number
  readonly mean: number
  readonly wrong: number
  readonly size: number
}

/** Elements of an operation's result beside the numbers that are not rounded. */
export interface OperationValues {
  readonly step: number
  readonly size: number
  readonly computed: Float64Array
  readonly reference: Float64Array
  /** What its own rounding added. */
  readonly introduced: Float64Array
}

/** What the worker says as it goes on. */
export type JaxMessage =
  | {
      readonly opened: {
        readonly arguments: number
        readonly drawn: readonly string[]
        readonly carried: string
        readonly semantics: string
      }
    }
  | {
      readonly stepped: { readonly step: number; readonly of: number; readonly nonFinite: string | undefined }
    }
  | { readonly origin: { readonly site: string; readonly source: string; readonly lines: readonly string[] } }
  | {
      readonly found: {
        /** The step that was measured: the last one, or where that is not finite the one before it. */
        readonly step: number
        readonly reference: string
        readonly lines: readonly LineRow[]
        readonly outputs: readonly OutputRow[]
      }
    }
  | {
      readonly shares: {
        readonly output: string
        readonly lines: readonly { readonly line: string; readonly share?: number; readonly gain?: number }[]
      }
    }
  | { readonly values: OperationValues }
  | { readonly done: { readonly milliseconds: number } }
  | { readonly failed: string }
