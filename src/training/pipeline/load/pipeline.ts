import { checkOptions, type OptionTable, shown } from '../../../base/options/index.js'
import { indexSampler, type SamplerOptions, samplerNames } from '../order/indexSampler.js'
import type { DataSource } from '../source/dataSource.js'
import type { Stage } from '../transform/stageRunner.js'
import type { BaseTransform, ModuleTransform, RecordFunction } from '../transform/transform.js'
import { type Batch, collate } from './collate.js'
import { type DataLoader, dataLoader, type LoadOptions, type Plan } from './dataLoader.js'

/** How records become batches. */
export interface BatchOptions<T, B> {
  /** Makes a batch of its records. Default `collate`: a record of columns. */
  readonly collate?: (records: readonly T[]) => B
  /** What becomes of records at the end that fill no global batch: divided evenly among the hosts, or left out. Default 'keep'. */
  readonly remainder?: 'keep' | 'drop'
}

/** What happens to the records of a source on their way; immutable, nothing runs before `load`. */
export interface Pipeline<T> {
  /** Replaces every record by the result of a transform; after `batch`, every batch. */
  map<Out>(transform: RecordFunction<T, Out>): Pipeline<Out>
  /** The same by an instance of a class. */
  map<Out>(transform: BaseTransform<T, Out>): Pipeline<Out>
  /** The same by a transform that can run in workers. */
  map<Out>(transform: ModuleTransform<T, Out>): Pipeline<Out>
  /** Keeps the records for which the transform returns true; not allowed after `batch`. */
  filter(transform: RecordFunction<T, boolean>): Pipeline<T>
  /** The same by an instance of a class. */
  filter(transform: BaseTransform<T, boolean>): Pipeline<T>
  /** The same by a transform that can run in workers. */
  filter(transform: ModuleTransform<T, boolean>): Pipeline<T>
  /** Batches of `size` records over all hosts together, each host size / hosts of them. At most once. */
  batch<B = Batch<T>>(size: number, options?: BatchOptions<T, B>): Pipeline<B>
  /** Prefetches this many batches (records, without `batch`). Default 2. */
  prefetch(count: number): Pipeline<T>
  /** Begins to read: one pass over this host's share. */
  load(options?: LoadOptions): DataLoader<T>
}

const batchNames: OptionTable<BatchOptions<unknown, unknown>> = { collate: 'optional', remainder: 'optional' }

/**
 * The records of a source in the order of a sampler, on their way to a training loop. The order of the batches and all
 * that is in them depends on the source, the seed and the global batch alone: not on workers or on prefetching, and on
 * hosts only in that each gets its part of every batch.
 *
 * Source    after Grain, https://github.com/google/grain: a pipeline is a pure function of the place in the order
 *
 * @example pipeline(arraySource([1, 2, 3])).map((x) => 2 * x).batch(0) // throws batch: a global batch is a positive integer [0]
 */
export function pipeline<T>(source: DataSource<T>, options: SamplerOptions = {}): Pipeline<T> {
  checkOptions('pipeline', options, samplerNames)
  if (typeof source?.length !== 'number' || typeof source.at !== 'function') {
    throw new TypeError(
      `pipeline: not a source of records, arraySource makes one of a list [${shown(source)}]`,
    )
  }
  return withPlan<T>({
    source: source as DataSource<unknown>,
    sampler: indexSampler(source.length, options),
    seed: options.seed ?? 0,
    shuffle: options.shuffle ?? false,
    stages: [],
    batch: undefined,
    batchStages: [],
    prefetch: 2,
  })
}

function withPlan<T>(plan: Plan): Pipeline<T> {
  const add = (stage: Stage): Plan =>
    plan.batch
      ? { ...plan, batchStages: [...plan.batchStages, stage] }
      : { ...plan, stages: [...plan.stages, stage] }
  return {
    map: (transform: unknown) => withPlan(add({ kind: 'map', transform: checked('map', transform) })),
    filter: (transform: unknown) => {
      if (plan.batch) throw new RangeError('filter: batches are not filtered, filter before batch [batch]')
      return withPlan(add({ kind: 'filter', transform: checked('filter', transform) }))
    },
    batch: (size, options = {}) => {
      checkOptions('batch', options, batchNames)
      if (plan.batch) throw new RangeError(`batch: there are batches already [${plan.batch.size}]`)
      if (!(Number.isSafeInteger(size) && size > 0)) {
        throw new RangeError(`batch: a global batch is a positive integer [${String(size)}]`)
      }
      const { remainder = 'keep' } = options
      if (remainder !== 'keep' && remainder !== 'drop') {
        throw new RangeError(`batch: a remainder is kept or dropped [${String(remainder)}]`)
      }
      const make = (options.collate ?? collate) as (records: readonly unknown[]) => unknown
      return withPlan({ ...plan, batch: { size, remainder, collate: make } })
    },
    prefetch: (count) => {
      if (!(Number.isSafeInteger(count) && count >= 0)) {
        throw new RangeError(`prefetch: not an integer from 0 on [${String(count)}]`)
      }
      return withPlan({ ...plan, prefetch: count })
    },
    load: (options = {}) => dataLoader(plan, options) as DataLoader<T>,
  }
}

function checked(op: string, transform: unknown): Stage['transform'] {
  const form = transform as { apply?: unknown; href?: unknown } | undefined
  if (
    typeof transform !== 'function' &&
    typeof form?.apply !== 'function' &&
    typeof form?.href !== 'string'
  ) {
    throw new TypeError(
      `${op}: a transform is a function, has a method apply, or comes of fromModule [${typeof transform}]`,
    )
  }
  return transform as Stage['transform']
}
