import { checkInteger, checkOptions, type OptionTable, shown } from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { type HostShare, shareOf } from '../order/hostShare.js'
import { type IndexSampler, keyOf } from '../order/indexSampler.js'
import type { HostState } from '../order/joinStates.js'
import { checkHost, type Host } from '../order/shard.js'
import { checkState, type Stream, type StreamState, streamFrom } from '../order/streamState.js'
import { type DataSource, readIndices } from '../source/dataSource.js'
import { fingerprintOf } from '../source/fingerprint.js'
import type { RecordPlace } from '../transform/recordContext.js'
import type { Records } from '../transform/runTransforms.js'
import { type Stage, stageRunner } from '../transform/stageRunner.js'
import { isModuleTransform } from '../transform/transform.js'
import { orderedMap, Stop } from './orderedMap.js'

/** The options of a pipeline, complete. */
export interface Plan {
  readonly source: DataSource<unknown>
  readonly sampler: IndexSampler
  readonly seed: number | Key
  readonly shuffle: boolean
  readonly stages: readonly Stage[]
  readonly batch:
    | {
        readonly size: number
        readonly remainder: 'keep' | 'drop'
        readonly collate: (records: readonly unknown[]) => unknown
      }
    | undefined
  readonly batchStages: readonly Stage[]
  readonly prefetch: number
}

/** Where a pipeline runs, and from where on. */
export interface LoadOptions extends Partial<Host> {
  /** Threads for the transforms that `fromModule` names; 0, the default, runs them in this one. */
  readonly workers?: number
  /** Goes on where a run stopped: a place, or what `joinStates` says. Default: the beginning. */
  readonly from?: number | StreamState
  /** How many records are read, and sent to a worker, at a time. Default: a host's batch, 256 at most; 64 without batches. */
  readonly chunk?: number
}

/** One pass over the batches (records, where there are none) of one host. `break` and `return()` stop its workers. */
export interface DataLoader<T> extends AsyncIterableIterator<T> {
  /** The position of this host: after the item returned last, independent of what was read ahead. */
  state(): HostState
  /** Ends the pass and its workers; the source stays open. */
  return(): Promise<IteratorResult<T, undefined>>
}

/** Something to give out. */
interface Item {
  readonly value: unknown
  /** Where the share stands behind it. */
  readonly end: number
}

const loadNames: OptionTable<LoadOptions> = {
  host: 'optional',
  hosts: 'optional',
  workers: 'optional',
  from: 'optional',
  chunk: 'optional',
}

/** More threads than this need more memory than a machine has cores for. */
const maxWorkers = 128

/** Begins a pass; see `Pipeline.load`. */
export function dataLoader(plan: Plan, options: LoadOptions): DataLoader<unknown> {
  const { sampler, batch, stages, batchStages, source } = plan
  const { host, hosts, block, workers, chunk } = checkLoad(plan, options)
  const from = checkState('load', options.from ?? 0, sampler.length)
  const fingerprint = fingerprintOf(
    source.length,
    source.fingerprint,
    plan.shuffle ? keyOf(plan.seed).data.join() : 'in order',
  )
  const given = typeof options.from === 'object' ? options.from.fingerprint : undefined
  if (given !== undefined && given !== fingerprint) {
    throw new RangeError(
      `load: a state of other records, or of another order of them [${shown(given)} / ${fingerprint}]`,
    )
  }
  const deal = { hosts, block, remainder: batch?.remainder ?? 'keep' } as const
  const stream = streamFrom(from, sampler.length)
  const share = shareOf(stream.length, deal, host)
  const runner = stageRunner({ records: stages, batches: batchStages }, workers, keyOf(plan.seed))

  const ahead = Math.max(1, workers) + Math.ceil((plan.prefetch * block) / chunk)
  const stops = [new Stop(), new Stop()] as const
  const read = async (places: readonly RecordPlace[]): Promise<Records> => {
    const indices = places.map(({ index }) => index)
    return runner.run('records', { values: await readIndices(source, indices), places })
  }
  const records = orderedMap(chunksOf(share, stream, sampler, chunk), ahead, read, stops[0])
  const batches = async (group: Records): Promise<Item> => {
    const value = batch!.collate(group.values)
    const { values } = await runner.run('batches', { values: [value], places: [group.places[0]!] })
    return { value: values[0], end: group.places.at(-1)!.order + 1 }
  }
  const items = batch
    ? orderedMap(
        blocksOf(records, block, deal.remainder, stops[0]),
        batchStages.length > 0 ? ahead : 1,
        batches,
        stops[1],
      )
    : itemsOf(records)

  let consumed = 0
  let over = false
  const end = async (): Promise<void> => {
    over = true
    for (const stop of stops) stop.stop()
    await runner.stop()
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      try {
        const { done, value } = await items.next()
        if (!done) {
          consumed = value.end
          return { done: false, value: value.value }
        }
        // What was filtered out behind the last record is done with, too.
        if (!over) consumed = share.length
        await end()
        return { done: true, value: undefined }
      } catch (error) {
        await end()
        throw error
      }
    },
    return: async () => {
      await end()
      await items.return()
      return { done: true, value: undefined }
    },
    state: () => ({
      ...deal,
      host,
      from,
      total: sampler.length === Number.POSITIVE_INFINITY ? null : sampler.length,
      consumed,
      filtered: stages.some(({ kind }) => kind === 'filter'),
      fingerprint,
    }),
  }
}

function checkLoad(
  { batch, stages, batchStages }: Plan,
  options: LoadOptions,
): Host & { block: number; workers: number; chunk: number } {
  checkOptions('load', options, loadNames)
  const { host = 0, hosts = 1, workers = 0 } = options
  checkHost('load', { host, hosts })
  if (batch && batch.size % hosts !== 0) {
    throw new RangeError(`load: a global batch does not divide among the hosts [${batch.size} / ${hosts}]`)
  }
  checkInteger('load', 'workers', workers, 0, maxWorkers)
  if (workers > 0 && ![...stages, ...batchStages].some(({ transform }) => isModuleTransform(transform))) {
    throw new RangeError(
      `load: workers run only transforms that fromModule names, and there is none [${workers}]`,
    )
  }
  const block = batch ? batch.size / hosts : 1
  const chunk = options.chunk ?? (batch ? Math.min(block, 256) : 64)
  if (!(Number.isSafeInteger(chunk) && chunk > 0)) {
    throw new RangeError(`load: chunk is not a positive integer [${String(chunk)}]`)
  }
  return { host, hosts, block, workers, chunk }
}

/** The share, some places at a time. */
function* chunksOf(
  share: HostShare,
  stream: Stream,
  sampler: IndexSampler,
  chunk: number,
): Generator<RecordPlace[], void, void> {
  for (let start = 0; start < share.length; start += chunk) {
    const places: RecordPlace[] = []
    for (let order = start; order < Math.min(start + chunk, share.length); order++) {
      const position = stream.positionAt(share.numberAt(order))
      places.push({ order, position, index: sampler.at(position), epoch: sampler.epochOf(position) })
    }
    yield places
  }
}

async function* itemsOf(records: AsyncIterable<Records>): AsyncGenerator<Item, void, void> {
  for await (const { values, places } of records) {
    for (let i = 0; i < values.length; i++) yield { value: values[i], end: places[i]!.order + 1 }
  }
}

/** Records in groups of `block`, whatever the filters left of the chunks. */
async function* blocksOf(
  records: AsyncIterable<Records>,
  block: number,
  remainder: 'keep' | 'drop',
  stop: Stop,
): AsyncGenerator<Records, void, void> {
  let values: unknown[] = []
  let places: RecordPlace[] = []
  for await (const some of records) {
    for (let i = 0; i < some.values.length; i++) {
      values.push(some.values[i])
      places.push(some.places[i]!)
      if (values.length < block) continue
      yield { values, places }
      values = []
      places = []
    }
  }
  // Where it was stopped, what is left over is not the end of the records.
  if (values.length > 0 && remainder === 'keep' && !stop.isOver) yield { values, places }
}
