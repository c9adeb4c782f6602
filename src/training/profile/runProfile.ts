import type { Work } from '../../tensors/tensor/index.js'

/** An operation, or a step of a compiled program, as it ran. */
export interface ProfiledOperation extends Work {
  /** The operation, or how many of which kind: `matmul`, `loop of 3`. */
  readonly name: string
  /** Microseconds since the run began, until its end, and without what ran inside of it. */
  readonly start: number
  readonly microseconds: number
  readonly selfMicroseconds: number
  /** How many others it runs inside of. */
  readonly depth: number
  /** Bytes of values that something still reads while it runs; undefined where that was not looked for. */
  readonly alive?: number
}

/** Where the time of a run went. */
export interface RunProfile {
  readonly name: string
  /** In the order in which they began. */
  readonly operations: readonly ProfiledOperation[]
  /** The whole run, and what of it was outside of all operations: JavaScript between them. */
  readonly microseconds: number
  readonly outsideMicroseconds: number
  /** Of every run that was measured. */
  readonly runs: readonly number[]
  readonly flops: number
  readonly bytes: number
  /** Bytes of values alive at once, at most; undefined where that was not looked for. */
  readonly peakBytes?: number
  /** Programs that were recorded in the run that is shown: 0, unless a function is compiled anew at every call. */
  readonly programs: number
  /** Whether the runs did the same operations. Where they did not, lines and memory are unknown. */
  readonly steady: boolean
  /** The table of `profileText`. */
  toString(): string
}
