// Replay buffers for reinforcement learning: a ring of rows in narrow storage, and batches drawn from it. Needs Node for
// files and the worker only. Read replayBuffer.ts first, then replayCore.ts, column.ts (storage) and asyncSampler.ts.
export { type LoadOptions, ReplayBuffer } from './replayBuffer.js'
export type { SampleOptions, SequenceOptions } from './sampleOptions.js'
export type {
  NaNReward,
  NStep,
  ReplayCommonOptions,
  ReplayOptions,
  ReplaySettings,
  SpecOptions,
  TransitionOptions,
} from './replayOptions.js'
export type { ColumnArray, ColumnSpec, ReplaySpec, StoredColumnDType, TransitionSpec } from './layout.js'
export type { BatchFacts, ReplayBatch, ReplayRow, ReplayRows } from './batch.js'
export type { Prioritized } from './priorities.js'
export { type RateLimit, RateLimiter } from './rateLimiter.js'
export type { ColumnStats, ReplayStats } from './replayStats.js'
export type { PrefetchStats } from './asyncSampler.js'
export type { StorageError } from './storageError.js'
