import type { Node } from '../graph/graph.js'
import type { ScanStep } from './schedule.js'

/** A buffer that comes in or goes out. */
export interface Edge {
  readonly node: Node
  /** Where it lies in memory. */
  readonly at: number
  /** Whether it lies there as storage has it. */
  readonly codes?: boolean
}

/** What the host does when the interpreter calls it. */
export type HostCall =
  | { readonly kind: 'step'; readonly node: Node; readonly inputs: readonly Edge[]; readonly at: number }
  | { readonly kind: 'block'; readonly node: Node }
  | ScanCall
  | PartsCall

/** A loop: where what it reads lies, and where its results go. */
export interface ScanCall {
  readonly kind: 'scan'
  readonly step: ScanStep
  readonly inputs: readonly number[]
  readonly results: readonly number[]
}

/** Parts of a step, which threads may run in any order: where the words of each begin. */
export interface PartsCall {
  readonly kind: 'parts'
  readonly places: readonly number[]
}

/** A program in the interpreter's words, for one place in memory. */
export interface Emitted {
  /** Where the program's constants and words belong, and what they are. */
  readonly imageAt: number
  readonly image: Uint32Array
  /** The first words: elements coming in, and then the rest. */
  readonly enterAt: number
  /** Where the words of each step begin, and last those of what goes out. */
  readonly stepsAt: readonly number[]
  /** The values that lie in memory; others are only ever in a block of a loop. */
  readonly stored: ReadonlySet<Node>
  /** Those that lie there as storage has them. */
  readonly codes: ReadonlySet<Node>
  readonly arguments: readonly Edge[]
  readonly outputs: readonly Edge[]
  /** Where each result of the graph lies. */
  readonly results: readonly number[]
  readonly calls: readonly HostCall[]
  /** Into how many parts each step is split. */
  readonly parts: readonly number[]
  /** The end of all memory that it uses. */
  readonly end: number
  /** Bytes of values at once, and of them all if each had its own. */
  readonly valueBytes: number
  readonly unplannedBytes: number
}
