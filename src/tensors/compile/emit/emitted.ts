import type { Node } from '../graph/graph.js'
import type { Parameter } from '../graph/lowering.js'
import type { ScanStep } from './schedule.js'

/** Where tables of functions lie, which programs share. */
export type TableAt = (parameter: Extract<Parameter, { kind: 'table' }>) => number

/** Where the tables lie by which codes of up to 8 bits come in, and the records by which they go out. */
export type EdgeTables = (dtype: Node['dtype']) => { readonly enter: number; readonly leave: number }

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
  | StreamCall

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

/** A value of a loop as it comes in or goes out tile by tile: where a tile lies, and in which words of the loop that is said. */
export interface Streamed {
  readonly node: Node
  readonly at: number
  /** Bytes of an element. */
  readonly along: number
  readonly words: readonly number[]
}

/** A loop that takes its arguments and gives its results tile by tile. */
export interface StreamCall {
  readonly kind: 'stream'
  /** Where the words of the loop begin: those of a group, and an end. */
  readonly place: number
  readonly size: number
  readonly tile: number
  readonly ins: readonly Streamed[]
  readonly outs: readonly Streamed[]
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
  /** Those of which a tile at a time lies there. */
  readonly streamed: ReadonlySet<Node>
  /** Where each result of the graph lies. */
  readonly results: readonly number[]
  readonly calls: readonly HostCall[]
  /** Whether a constant has a NaN of which it keeps no account. */
  readonly strange: boolean
  /** Into how many parts each step is split. */
  readonly parts: readonly number[]
  /** The end of all memory that it uses. */
  readonly end: number
  /** Bytes of values at once, and of them all if each had its own. */
  readonly valueBytes: number
  readonly unplannedBytes: number
}
