import { checkOptions } from '../base/options/index.js'
import { Assembler } from './assembler.js'
import { AsyncSampler } from './asyncSampler.js'
import {
  type AnyBatch,
  checkOut,
  newBatch,
  type ReplayBatch,
  type ReplayRow,
  type ReplayRows,
} from './batch.js'
import { type Allocate, Column } from './column.js'
import { DrawStream } from './drawStream.js'
import { Episodes } from './episodes.js'
import { layoutOf, type ReplaySpec, type TransitionSpec } from './layout.js'
import type { Plan } from './plan.js'
import { Planner } from './planner.js'
import type { OpenPrefetcher } from './prefetch.js'
import { checkBeta, Priorities } from './priorities.js'
import { RateLimiter } from './rateLimiter.js'
import { type ReplayOptions, type ReplaySettings, settingsOf } from './replayOptions.js'
import type { Counters, ReplayState } from './replayState.js'
import { columnStats, limiterStats, type ReplayStats } from './replayStats.js'
import { type Incoming, RowReader } from './rowReader.js'
import {
  type SampleOptions,
  type SequenceOptions,
  sampleAheadNames,
  sampleNames,
  sequenceNames,
} from './sampleOptions.js'

/**
 * All of a replay buffer that runs anywhere; ReplayBuffer adds files and a worker. Memory for rows is taken once, at
 * construction; `add` allocates nothing that outlives it.
 */
export class ReplayCore<S extends ReplaySpec = TransitionSpec> {
  readonly settings: ReplaySettings
  readonly #columns: readonly Column[]
  readonly #rows: ArrayBufferLike
  readonly #rowBytes: number
  readonly #episodes: Episodes
  readonly #stream: DrawStream
  readonly #priorities: Priorities | undefined
  readonly #limiter: RateLimiter | undefined
  readonly #reader: RowReader
  readonly #planner: Planner
  readonly #async: AsyncSampler
  readonly #assembler: Assembler
  readonly #counters: Counters = { sampled: 0, batches: 0, stale: 0 }

  constructor(options: ReplayOptions<S>, open?: OpenPrefetcher) {
    const settings = settingsOf(options as ReplayOptions<ReplaySpec>)
    const { capacity, seed, environments, nanReward, nStep, prioritized, rateLimit } = settings
    const { prefetch = 'worker' } = options
    if (prefetch !== 'worker' && prefetch !== 'in-process') {
      throw new RangeError(`ReplayBuffer: prefetch is not worker or in-process [${String(prefetch)}]`)
    }
    const shared = prefetch === 'worker' && open !== undefined && typeof SharedArrayBuffer !== 'undefined'
    const allocate: Allocate = (bytes) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes))
    const { places, rowBytes } = layoutOf(settings.spec)
    if (!Number.isSafeInteger(capacity * rowBytes)) throw noRoom(capacity, rowBytes)
    this.settings = settings
    this.#stream = new DrawStream(seed)
    this.#limiter = rateLimit && new RateLimiter(rateLimit)
    this.#priorities = prioritized && new Priorities(capacity, prioritized)
    this.#rowBytes = rowBytes
    try {
      this.#rows = allocate(capacity * rowBytes)
      this.#episodes = new Episodes(capacity, environments)
    } catch (error) {
      throw noRoom(capacity, rowBytes, error)
    }
    this.#columns = places.map((place) => new Column(place, this.#rows, rowBytes, allocate))
    this.#reader = new RowReader(this.#columns, nanReward)
    this.#planner = new Planner(this.#episodes, this.#stream, this.#priorities, nStep?.n ?? 1)
    this.#assembler = new Assembler(this.#columns, this.#episodes, nStep)
    this.#async = new AsyncSampler(this.#assembler, this.#planner, allocate, shared ? open : undefined)
  }

  get capacity(): number {
    return this.settings.capacity
  }

  /** Rows there are. */
  get size(): number {
    return this.#episodes.size
  }

  /** Rows ever added: the number that the next one gets. */
  get added(): number {
    return this.#episodes.total
  }

  /** The number of the oldest row there is. */
  get oldest(): number {
    return this.#episodes.oldest
  }

  /** Whether there are at least `warmup` rows, and one. */
  isReady(warmup = 1): boolean {
    if (!(warmup >= 0)) {
      throw new RangeError(`isReady: warmup is not a number of at least 0 [${String(warmup)}]`)
    }
    return this.size >= Math.max(1, warmup)
  }

  /** Whether the rate limiter lets n more rows in; always where there is none. */
  canAdd(n = 1): boolean {
    return this.#limiter?.canInsert(n, this.size) ?? true
  }

  /** Whether there are n rows and the rate limiter lets them be sampled. */
  canSample(n = 1): boolean {
    return this.size >= n && (this.#limiter?.canSample(n, this.size) ?? true)
  }

  /**
   * Adds one row, which replaces the oldest where the ring is full; returns its number, counted from 0.
   *
   * Rounding  each number once, to its column's dtype.
   * Throws    wrong counts, unknown columns, numbers that an integer column cannot hold, a NaN reward, more than one
   *           environment, a rate limiter that is waiting for samples: nothing is stored.
   */
  add(row: ReplayRow<S>): number {
    if (this.settings.environments !== 1) {
      throw new RangeError(
        `add: one row of each environment at a time, by addBatch [${this.settings.environments} environments]`,
      )
    }
    this.#permit('add', 1)
    const incoming = this.#reader.readOne(row as Readonly<Record<string, unknown>>)
    this.#store(incoming)
    return this.added - 1
  }

  /** Adds rows in order, all or none; returns the number of the first. Throws as `add`. */
  addBatch(rows: ReplayRows<S>): number {
    const first = this.added
    const incoming = this.#reader.readMany(rows as Readonly<Record<string, unknown>>)
    const { environments } = this.settings
    if (incoming.count % environments !== 0) {
      throw new RangeError(
        `addBatch: not a row of each environment [${incoming.count} rows, ${environments} environments]`,
      )
    }
    if (incoming.count > 0) this.#permit('addBatch', incoming.count)
    this.#store(incoming)
    return first
  }

  #permit(op: string, n: number): void {
    const limiter = this.#limiter
    if (limiter === undefined || limiter.canInsert(n, this.size)) return
    throw new RangeError(
      `${op}: the rate limiter waits for samples, ask canAdd first [${limiter.inserts} inserts, ${limiter.samples} samples]`,
    )
  }

  #store({ count, values, terminated, truncated }: Incoming): void {
    const columns = this.#columns
    for (let i = 0; i < count; i++) {
      const filled = this.#episodes.size
      const slot = this.#episodes.push(Boolean(terminated[i]), Boolean(truncated[i]))
      for (let c = 0; c < columns.length; c++) {
        const column = columns[c]!
        column.write(slot, values[c]!, i * column.place.width, filled)
      }
      this.#priorities?.add(slot)
    }
    if (this.#limiter) this.#limiter.inserts += count
  }

  /**
   * Says that the newest row of every environment was its episode's last seen: they become truncated, unless they end
   * their episode anyway. For environments that were reset from outside, as after a crash. Returns how many changed.
   */
  endEpisodes(): number {
    return this.#episodes.truncateAll()
  }

  /**
   * A batch of rows drawn at random: uniformly, or by their priorities. With nStep `reward` is the return, and columns
   * whose name begins with `next`, terminated and truncated are those of its last row.
   *
   * Special   drawn by priorities, the batch has one row of each of batchSize equal parts of their sum, in ring order.
   * Throws    more rows than there are, a rate limiter that is waiting for rows.
   * Source    prioritized: Schaul, Quan, Antonoglou, Silver: Prioritized experience replay, arXiv:1511.05952, 3.3
   */
  sample(batchSize: number, options: SampleOptions<S> = {}): ReplayBatch<S> {
    checkOptions('sample', options, sampleNames)
    const replacement = this.#checkSample('sample', batchSize, options)
    const nStep = this.settings.nStep !== undefined
    const out = options.out as AnyBatch | undefined
    if (out) checkOut('sample', this.#columns, batchSize, nStep, out)
    const plan = this.#planner.draw(batchSize, replacement)
    const batch = out ?? newBatch(this.#columns, batchSize, { nStep, allocate })
    this.#assembler.gather(plan, batch)
    return this.#handOut(plan, batch, options.beta)
  }

  /**
   * As `sample`, but the batch after this one is drawn now and gathered while this one is used: by a worker, or where
   * there is none by this thread when it is asked for. The batch is good until the next call of sampleAsync, which
   * gathers into its arrays.
   *
   * Special   rows are drawn one call ahead, so the newest rows and priorities show a batch later. Rows overwritten in
   *           between are drawn again. A call for another size, or other replacement, gets rows drawn anew. All of
   *           this depends on the order of calls alone: with and without a worker, the batches are the same.
   */
  async sampleAsync(batchSize: number, options: Omit<SampleOptions<S>, 'out'> = {}): Promise<ReplayBatch<S>> {
    checkOptions('sampleAsync', options, sampleAheadNames)
    const replacement = this.#checkSample('sampleAsync', batchSize, options)
    const { plan, batch } = this.#async.next(batchSize, replacement)
    return this.#handOut(plan, batch, options.beta)
  }

  /**
   * Sequences of `length` rows, each of one episode and one environment, drawn uniformly among all that are in the
   * buffer as a whole; an episode may end with a sequence's last row only. The arrays hold batchSize * length rows, sequence after
   * sequence. Rows are as they were added, without n-step returns; priorities do not count.
   *
   * Throws    no such sequence in the buffer: RangeError.
   */
  sampleSequences(batchSize: number, options: SequenceOptions): ReplayBatch<S> {
    const op = 'sampleSequences'
    checkOptions(op, options, sequenceNames)
    const { length } = options
    if (!(Number.isSafeInteger(length) && length > 0)) {
      throw new RangeError(`${op}: length is not a positive integer [${String(length)}]`)
    }
    this.#checkCount(op, batchSize)
    if (this.size === 0) throw new RangeError(`${op}: the buffer is empty [0 rows]`)
    if (!(batchSize * length < 2 ** 31)) {
      throw new RangeError(`${op}: more rows than a batch holds, 2^31 [${batchSize} x ${length}]`)
    }
    this.#permitSample(op, batchSize * length)
    const ends = this.#planner.drawSequenceEnds(batchSize, length)
    const indices = new Float64Array(batchSize * length)
    const { environments } = this.settings
    for (let i = 0; i < indices.length; i++) {
      indices[i] = ends[Math.floor(i / length)]! - (length - 1 - (i % length)) * environments
    }
    this.#counted(indices.length)
    return this.#assembler.rows(indices) as ReplayBatch<S>
  }

  /** Rows by their numbers, as they were added: what is in the buffer, for looking at it or evaluating on it. */
  gather(indices: ArrayLike<number>): ReplayBatch<S> {
    const { oldest, total } = this.#episodes
    const wanted = Float64Array.from(indices)
    for (const index of wanted) {
      if (!(Number.isInteger(index) && index >= oldest && index < total)) {
        throw new RangeError(`gather: no such row, there are ${oldest} .. ${total - 1} [${index}]`)
      }
    }
    return this.#assembler.rows(wanted) as ReplayBatch<S>
  }

  /**
   * Gives rows, by the indices of a batch, new priorities: |TD error| as a rule. Rows that are no longer there are passed
   * over. Returns how many were updated.
   *
   * Throws    negative and NaN priorities, other lengths, a buffer that is not prioritized: nothing is changed.
   */
  updatePriorities(indices: ArrayLike<number>, priorities: ArrayLike<number>): number {
    const op = 'updatePriorities'
    const own = this.#priorities
    if (own === undefined) {
      throw new RangeError(`${op}: the buffer has none, see the option [prioritized: undefined]`)
    }
    if (indices.length !== priorities.length) {
      throw new RangeError(
        `${op}: lengths differ [indices ${indices.length}, priorities ${priorities.length}]`,
      )
    }
    const { oldest, total } = this.#episodes
    const masses = new Float64Array(priorities.length)
    for (let i = 0; i < masses.length; i++) {
      const index = indices[i]!
      if (!(Number.isInteger(index) && index >= 0 && index < total)) {
        throw new RangeError(`${op}: no such row, ${total} were added [${String(index)}]`)
      }
      masses[i] = own.massOf(priorities[i]!)
    }
    let updated = 0
    for (let i = 0; i < masses.length; i++) {
      if (indices[i]! < oldest) continue
      own.tree.set(this.#episodes.slotOf(indices[i]!), masses[i]!)
      own.max = Math.max(own.max, priorities[i]!)
      updated++
    }
    this.#counters.stale += masses.length - updated
    return updated
  }

  /** What the buffer has done, and what storing has cost. */
  stats(): ReplayStats {
    const { capacity, size, added } = this
    const { sampled, batches, stale } = this.#counters
    const own = this.#priorities
    return {
      capacity,
      size,
      added,
      overwritten: added - size,
      sampled,
      batches,
      bytes: this.#rows.byteLength,
      rowBytes: this.#rowBytes,
      nanRewards: this.#reader.nanRewards,
      priorities: own && { total: own.tree.total, max: own.max, stale },
      rateLimit: this.#limiter && limiterStats(this.#limiter),
      prefetch: this.#async.stats(),
      columns: columnStats(this.#columns),
    }
  }

  /** Ends the worker, if there is one. The buffer remains as it is; sampleAsync gathers in this thread from then on. */
  close(): void {
    this.#async.close()
  }

  /**
   * What a file keeps, as views of the live memory.
   *
   * @hidden
   */
  protected state(): ReplayState {
    return {
      settings: this.settings,
      rows: new Uint8Array(this.#rows),
      rowBytes: this.#rowBytes,
      columns: this.#columns,
      episodes: this.#episodes,
      stream: this.#stream,
      priorities: this.#priorities,
      limiter: this.#limiter,
      reader: this.#reader,
      async: this.#async,
      counters: this.#counters,
    }
  }

  #checkCount(op: string, batchSize: number): void {
    if (!(Number.isSafeInteger(batchSize) && batchSize > 0)) {
      throw new RangeError(`${op}: batchSize is not a positive integer [${String(batchSize)}]`)
    }
  }

  #checkSample(op: string, batchSize: number, { replacement = true, beta = 0 }: SampleOptions<S>): boolean {
    this.#checkCount(op, batchSize)
    checkBeta(op, beta)
    if (typeof replacement !== 'boolean') {
      throw new TypeError(`${op}: replacement is not a boolean [${String(replacement)}]`)
    }
    if (this.#priorities && !replacement) {
      throw new RangeError(`${op}: by priorities, rows are drawn with replacement only [replacement false]`)
    }
    if (this.size === 0) throw new RangeError(`${op}: the buffer is empty [0 rows]`)
    if (batchSize > this.size) {
      throw new RangeError(`${op}: more rows asked for than there are [${batchSize} of ${this.size}]`)
    }
    this.#permitSample(op, batchSize)
    return replacement
  }

  #permitSample(op: string, n: number): void {
    const limiter = this.#limiter
    if (limiter === undefined || limiter.canSample(n, this.size)) return
    throw new RangeError(
      `${op}: the rate limiter waits for rows, ask canSample first [${limiter.inserts} inserts, ${limiter.samples} samples, ${n} more]`,
    )
  }

  #counted(rows: number): void {
    this.#counters.sampled += rows
    this.#counters.batches++
    if (this.#limiter) this.#limiter.samples += rows
  }

  #handOut(plan: Plan, batch: AnyBatch, beta = this.#priorities?.beta ?? 0): ReplayBatch<S> {
    this.#assembler.finish(plan, batch, beta)
    this.#counted(plan.size)
    return batch as ReplayBatch<S>
  }
}

function noRoom(capacity: number, rowBytes: number, cause?: unknown): RangeError {
  return new RangeError(
    `ReplayBuffer: no memory for so many rows [capacity ${capacity}, ${rowBytes} bytes each]`,
    { cause },
  )
}

/** Batches that are not gathered ahead are in memory of their own. */
const allocate: Allocate = (bytes) => new ArrayBuffer(bytes)
