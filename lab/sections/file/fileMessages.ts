/** One tensor of the file, and what each way does to it. */
export interface FileTensorRow {
  readonly name: string
  readonly dtype: string
  readonly shape: readonly number[]
  readonly values: number
  readonly notFinite: number
  readonly ways: readonly WayRow[]
  /** Percent of its values by floor(log2 |x|). */
  readonly magnitudes: { readonly x: readonly number[]; readonly y: readonly number[] }
  /** Its first values, for the program that is shown. */
  readonly first: readonly number[]
}

/** What one way does. */
export interface WayRow {
  readonly scheme: string
  readonly way: string
  readonly bits: number
  /** Of finite values. */
  readonly count: number
  readonly sqnr: number
  readonly clipped: number
  readonly underflowed: number
  readonly overflowed: number
  readonly maxError: number
}

/** What is asked: a file and the ways; without one the sample. */
export interface FileAsked {
  readonly file: Blob | undefined
  readonly schemes: readonly string[]
  readonly way: string
}

/** All tensors together, by way. */
export interface FileTotal extends WayRow {
  readonly worst: { readonly tensor: string; readonly sqnr: number }
}

/** What the worker says as it reads on. */
export type FileTold =
  | { readonly opened: { readonly bytes: number; readonly tensors: number; readonly kind: string } }
  | { readonly skipped: { readonly name: string; readonly why: string } }
  | { readonly tensor: FileTensorRow }
  | { readonly read: { readonly bytes: number; readonly of: number } }
  | { readonly done: { readonly totals: readonly FileTotal[]; readonly milliseconds: number } }
  | { readonly failed: string }
