import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'
import type { TimelineEvent } from './timeline.js'

/** The time a simulation runs in. */
export interface Clock {
  /** Milliseconds. */
  now(): number
  /** Resolves when so much time has passed. */
  wait(milliseconds: number): Promise<void>
}

/** The device that is simulated. */
export interface DeviceOptions<T> {
  /** How fast batches are copied to it; Infinity: at once. */
  readonly bytesPerSecond: number
  /** What every copy takes besides, in milliseconds. Default 0. */
  readonly latency?: number
  /** How many batches it holds, the one that is computed on included. Default 2. */
  readonly buffers?: number
  /** The bytes of a batch. Default: those of the tensors and typed arrays in it. */
  readonly bytes?: (batch: T) => number
  /** Default: the machine's. */
  readonly clock?: Clock
}

/** Batches as they arrive on the device. */
export interface DeviceLoader<T> extends AsyncIterableIterator<T> {
  /** What was busy when, up to now; what the consumer does with a batch until it asks for the next is 'compute'. */
  timeline(): readonly TimelineEvent[]
  /** Ends it, and the batches that it takes. */
  return(): Promise<IteratorResult<T, undefined>>
}

const deviceNames: OptionTable<DeviceOptions<unknown>> = {
  bytesPerSecond: 'required',
  latency: 'optional',
  buffers: 'optional',
  bytes: 'optional',
  clock: 'optional',
}

const machineClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}

/**
 * Hands out batches as an accelerator would get them, copied ahead of the computation: while the consumer works on one, the
 * next is made and copied. The copy is simulated (nothing is moved; a batch is held back until its copy would be done, one
 * copy at a time), host and computation are what they are, measured. A consumer that computes without a pause blocks this
 * thread: then only what runs in workers, and the copies, overlap with it. Give it a loader with `prefetch(0)`: what a loader
 * makes ahead of being asked is not seen as the host's time.
 */
export function toDeviceAsync<T>(batches: AsyncIterable<T>, options: DeviceOptions<T>): DeviceLoader<T> {
  checkOptions('toDeviceAsync', options, deviceNames)
  const { bytesPerSecond, latency = 0, buffers = 2, bytes = bytesIn, clock = machineClock } = options
  const op = 'toDeviceAsync'
  if (!(bytesPerSecond > 0)) {
    throw new RangeError(`${op}: bytesPerSecond is not positive [${String(bytesPerSecond)}]`)
  }
  if (!(latency >= 0 && latency < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${op}: latency is not a time [${String(latency)}]`)
  }
  if (!(Number.isSafeInteger(buffers) && buffers > 0)) {
    throw new RangeError(`${op}: buffers is not a positive integer [${String(buffers)}]`)
  }

  const source = batches[Symbol.asyncIterator]()
  const events: TimelineEvent[] = []
  const began = clock.now()
  const time = (): number => clock.now() - began
  let made = 0
  let copierFree = 0
  let computing: { batch: number; start: number } | undefined

  const makeOne = async (): Promise<{ value: T; batch: number; ready: number } | undefined> => {
    const start = time()
    const next = await source.next()
    if (next.done) return undefined
    const batch = made++
    const end = time()
    events.push({ lane: 'host', batch, start, end })
    const copyStart = Math.max(end, copierFree)
    copierFree = copyStart + latency + (1000 * bytes(next.value)) / bytesPerSecond
    events.push({ lane: 'copy', batch, start: copyStart, end: copierFree })
    return { value: next.value, batch, ready: copierFree }
  }
  // Made one after the other. One buffer is the consumer's: before it has asked, and while it computes, the others fill.
  const coming: ReturnType<typeof makeOne>[] = []
  let last: Promise<unknown> = Promise.resolve()
  let ended = false
  const fill = (count: number): void => {
    while (!ended && coming.length < count) {
      const one = last.then(makeOne)
      last = one
      // It is awaited in its turn; until then its failure is not unheard of.
      one.catch(() => {})
      coming.push(one)
    }
  }
  const endCompute = (): void => {
    if (computing) events.push({ lane: 'compute', ...computing, end: time() })
    computing = undefined
  }
  const next = async (): Promise<IteratorResult<T, undefined>> => {
    endCompute()
    fill(buffers)
    const arrived = ended ? undefined : await coming.shift()
    if (!arrived) {
      ended = true
      return { done: true, value: undefined }
    }
    if (arrived.ready > time()) await clock.wait(arrived.ready - time())
    computing = { batch: arrived.batch, start: time() }
    return { done: false, value: arrived.value }
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next,
    return: async () => {
      endCompute()
      ended = true
      await source.return?.()
      return { done: true, value: undefined }
    },
    timeline: () => [...events],
  }
}

/** The bytes of the tensors and typed arrays in a value. */
function bytesIn(value: unknown): number {
  if (value instanceof Tensor) return value.data.byteLength
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, item) => sum + bytesIn(item), 0)
}
