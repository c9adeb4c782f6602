import { shown } from '../../base/options/index.js'
import { foldIn, type Key } from '../../tensors/random/index.js'
import type { DataLoader, HostState, LoadOptions, StreamState } from '../pipeline/index.js'

/**
 * Where batches come from: a function of the step and its key, which needs no place to go on from; or a `pipeline`, whose end
 * ends the run.
 */
export type TrainData<B> =
  | ((step: number, key: Key) => B | Promise<B>)
  | {
      /** Begins to read from a place on. */
      readonly load: (options?: LoadOptions) => DataLoader<B>
    }

/** The batches of a run, one after the other. */
export interface Batches<B> {
  /** That of a step; undefined where there is none any more. */
  next(step: number): Promise<{ readonly batch: B } | undefined>
  /** Where this host stands behind the last one, as plain data; null for a function. */
  place(): HostState | null
  close(): Promise<void>
}

/** The batches of a host from a place on. */
export function batchesOf<B>(
  data: TrainData<B>,
  key: Key,
  { host, hosts }: { readonly host: number; readonly hosts: number },
  from: StreamState | undefined,
): Batches<B> {
  if (typeof data === 'function') {
    return {
      next: async (step) => ({ batch: await data(step, foldIn(key, step)) }),
      place: () => null,
      close: async () => {},
    }
  }
  if (typeof data?.load !== 'function') {
    throw new TypeError(`train: data is neither a function nor a pipeline [${shown(data)}]`)
  }
  const loader = data.load({ host, hosts, ...(from === undefined ? {} : { from }) })
  return {
    next: async () => {
      const { done, value } = await loader.next()
      return done ? undefined : { batch: value }
    },
    place: () => loader.state(),
    close: async () => {
      await loader.return()
    },
  }
}
