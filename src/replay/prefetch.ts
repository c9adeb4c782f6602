import type { GatherSource } from './gatherColumn.js'
import type { NumericColumn } from './layout.js'

/** Memory that one batch is gathered into: per column which slots, and where to. */
export interface Target {
  readonly slots: readonly Uint32Array[]
  readonly outs: readonly NumericColumn[]
}

/**
 * Somebody who gathers a target while the caller does something else. It holds at most one task, and says nothing when it
 * is done: the caller looks.
 */
export interface Prefetcher {
  /** Tells of the targets that tasks are about from now on. */
  useTargets(targets: readonly Target[]): void
  /** Whether the last task is done, or there was none. */
  idle(): boolean
  /** Begins to gather target number `target`. Only where idle. */
  start(target: number): void
  close(): void
}

/** Opens a prefetcher over the columns, or none where there are no workers. */
export type OpenPrefetcher = (columns: readonly GatherSource[]) => Prefetcher | undefined
