import type { AsyncSampler } from './asyncSampler.js'
import type { Column } from './column.js'
import type { DrawStream } from './drawStream.js'
import type { Episodes } from './episodes.js'
import { type PlanJson, planFromJson, planToJson } from './plan.js'
import type { Priorities } from './priorities.js'
import type { RateLimiter } from './rateLimiter.js'
import type { ReplaySettings } from './replayOptions.js'
import type { RowReader } from './rowReader.js'

/** What a buffer counts. */
export interface Counters {
  sampled: number
  batches: number
  stale: number
}

/** The parts of a buffer that a file keeps. */
export interface ReplayState {
  readonly settings: ReplaySettings
  readonly rows: Uint8Array
  readonly rowBytes: number
  readonly columns: readonly Column[]
  readonly episodes: Episodes
  readonly stream: DrawStream
  readonly priorities: Priorities | undefined
  readonly limiter: RateLimiter | undefined
  readonly reader: RowReader
  readonly async: AsyncSampler
  readonly counters: Counters
}

/** What of it is JSON: small, and whole numbers but for priorities. */
export interface StateFacts {
  readonly added: number
  readonly draws: number
  readonly maxPriority: number | null
  readonly limiter: { readonly inserts: number; readonly samples: number } | null
  readonly nanRewards: number
  readonly counters: Counters
  /** The batch that sampleAsync has drawn ahead. */
  readonly pending: PlanJson | null
}

export function factsOf(state: ReplayState): StateFacts {
  const { episodes, stream, priorities, limiter, reader, async, counters } = state
  return {
    added: episodes.total,
    draws: stream.count,
    maxPriority: priorities?.max ?? null,
    limiter: limiter ? { inserts: limiter.inserts, samples: limiter.samples } : null,
    nanRewards: reader.nanRewards,
    counters: { ...counters },
    pending: async.pending ? planToJson(async.pending) : null,
  }
}

export function restoreFacts(state: ReplayState, facts: StateFacts): void {
  state.episodes.total = facts.added
  state.stream.count = facts.draws
  if (state.priorities && facts.maxPriority !== null) state.priorities.max = facts.maxPriority
  if (state.limiter && facts.limiter) Object.assign(state.limiter, facts.limiter)
  state.reader.nanRewards = facts.nanRewards
  Object.assign(state.counters, facts.counters)
  state.async.pending = facts.pending ? planFromJson(facts.pending) : undefined
}

/** The bytes behind a typed array. */
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/**
 * The bytes that are not JSON, in the order a file keeps them, for `size` rows: views of the live memory, so that they
 * can be written from it and read into it; the priorities are a copy, which `restorePriorities` takes back.
 */
export function sectionsOf(
  state: ReplayState,
  size: number,
): { sections: Uint8Array[]; priorities: Float64Array } {
  const { rows, rowBytes, columns, episodes, priorities } = state
  const leaves = priorities ? priorities.tree.numbers(size) : new Float64Array(0)
  const sections = [
    rows.subarray(0, size * rowBytes),
    episodes.flags.subarray(0, size),
    bytesOf(episodes.ages.subarray(0, size)),
    bytesOf(leaves),
  ]
  for (const { source, errors } of columns) {
    if (source.scales) sections.push(bytesOf(source.scales))
    if (errors) sections.push(bytesOf(errors.state))
  }
  return { sections, priorities: leaves }
}

/** Makes what was read into the sections count. */
export function restoreSections(state: ReplayState, priorities: Float64Array): void {
  state.priorities?.tree.fill(priorities)
  for (const column of state.columns) if (column.source.scales) column.restoreScales(column.source.scales)
}
