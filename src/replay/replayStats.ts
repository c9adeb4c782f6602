import type { PrefetchStats } from './asyncSampler.js'
import type { Column } from './column.js'
import type { StoredColumnDType } from './layout.js'
import type { RateLimiter } from './rateLimiter.js'
import type { StorageError } from './storageError.js'

/** One column's storage, and what it has cost. */
export interface ColumnStats {
  readonly dtype: StoredColumnDType
  readonly shape: readonly number[]
  readonly bytesPerRow: number
  /** Undefined for the plain types. */
  readonly error: StorageError | undefined
}

/** What a buffer has done so far. */
export interface ReplayStats {
  readonly capacity: number
  /** Rows there are, were ever added, and were replaced by newer ones. */
  readonly size: number
  readonly added: number
  readonly overwritten: number
  /** Rows and batches returned by sample, sampleAsync and sampleSequences. */
  readonly sampled: number
  readonly batches: number
  /** Memory of all rows, of columns alone. */
  readonly bytes: number
  readonly rowBytes: number
  readonly nanRewards: number
  /** Prioritized: the sum of p^alpha, the largest priority given, and updates that came too late for their row. */
  readonly priorities: { readonly total: number; readonly max: number; readonly stale: number } | undefined
  /** inserts * samplesPerInsert - samples, and its limits. */
  readonly rateLimit:
    | { readonly diff: number; readonly minDiff: number; readonly maxDiff: number }
    | undefined
  readonly prefetch: PrefetchStats
  readonly columns: Readonly<Record<string, ColumnStats>>
}

export function columnStats(columns: readonly Column[]): Record<string, ColumnStats> {
  return Object.fromEntries(
    columns.map(({ place, errors }): [string, ColumnStats] => [
      place.name,
      {
        dtype: place.dtype,
        shape: place.shape,
        bytesPerRow: place.width * place.elementBytes,
        error: errors?.report(),
      },
    ]),
  )
}

export function limiterStats(limiter: RateLimiter): NonNullable<ReplayStats['rateLimit']> {
  const { inserts, samples, samplesPerInsert, minDiff, maxDiff } = limiter
  return { diff: inserts * samplesPerInsert - samples, minDiff, maxDiff }
}
