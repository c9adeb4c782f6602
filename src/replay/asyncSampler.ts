import type { Assembler } from './assembler.js'
import { type AnyBatch, newBatch } from './batch.js'
import type { Allocate } from './column.js'
import type { Plan } from './plan.js'
import type { Planner } from './planner.js'
import type { OpenPrefetcher, Prefetcher, Target } from './prefetch.js'

/** What became of the batches that were drawn ahead. */
export interface PrefetchStats {
  /** Who gathers ahead: 'none yet' before the first sampleAsync. */
  readonly by: 'worker' | 'in-process' | 'none yet'
  /** Batches that were ready when requested, and batches that this thread gathered itself. */
  readonly ready: number
  readonly gathered: number
  /** Prefetched batches of another size, which were discarded, and rows redrawn because they had been overwritten. */
  readonly discarded: number
  readonly renewed: number
}

/** One target is in the caller's hands, one is being gathered, and one is free while a late worker holds another. */
const targetCount = 3

/**
 * Draws a batch ahead and has it gathered while the last one is used. What is drawn, and what a batch holds, depends only
 * on the order of calls, never on time: rows that were overwritten since are drawn again when the batch is asked for, on
 * this thread, which alone adds rows; a worker that is not ready by then is not waited for.
 */
export class AsyncSampler {
  pending: Plan | undefined
  readonly #assembler: Assembler
  readonly #planner: Planner
  readonly #allocate: Allocate
  readonly #open: OpenPrefetcher | undefined
  #prefetcher: Prefetcher | undefined
  #by: PrefetchStats['by'] = 'none yet'
  #batches: AnyBatch[] = []
  #targets: Target[] = []
  /** The target the worker was last asked to gather, and how far the scales had grown then; -1: not for `pending`. */
  #started = -1
  #busyTarget = -1
  #rescales = 0
  #current = 0
  readonly #counts = { ready: 0, gathered: 0, discarded: 0, renewed: 0 }

  constructor(assembler: Assembler, planner: Planner, allocate: Allocate, open: OpenPrefetcher | undefined) {
    this.#assembler = assembler
    this.#planner = planner
    this.#allocate = allocate
    this.#open = open
  }

  stats(): PrefetchStats {
    return { by: this.#by, ...this.#counts }
  }

  /** The next batch, its columns gathered and its plan; draws the one after it. */
  next(size: number, replacement: boolean): { plan: Plan; batch: AnyBatch } {
    this.#begin(size)
    let plan = this.pending
    this.pending = undefined
    if (plan && (plan.size !== size || plan.replacement !== replacement)) {
      this.#counts.discarded++
      this.#started = -1
      plan = undefined
    }
    const renewed = plan ? this.#planner.renew(plan) : []
    this.#counts.renewed += renewed.length
    plan ??= this.#planner.draw(size, replacement)
    const target = this.#fill(plan, renewed)
    this.#current = target
    this.pending = this.#planner.draw(size, replacement)
    this.#ahead(this.pending)
    return { plan, batch: this.#batches[target]! }
  }

  close(): void {
    this.#prefetcher?.close()
    this.#prefetcher = undefined
    this.#started = -1
    if (this.#by === 'worker') this.#by = 'in-process'
  }

  #begin(size: number): void {
    const { columns } = this.#assembler
    const allocate = this.#allocate
    const nStep = this.#assembler.nStep !== undefined
    if (this.#by === 'none yet') {
      this.#prefetcher = this.#open?.(columns.map(({ source }) => source))
      this.#by = this.#prefetcher ? 'worker' : 'in-process'
    }
    if (this.#batches[0]?.size === size) return
    this.#started = -1
    this.#batches = Array.from({ length: targetCount }, () => newBatch(columns, size, { nStep, allocate }))
    this.#targets = this.#batches.map((batch) => ({
      slots: columns.map(() => new Uint32Array(allocate(4 * size))),
      outs: columns.map(({ place }) => batch[place.name] as Target['outs'][number]),
    }))
    // A late worker keeps its old targets until it is done; the new ones are not in its hands.
    this.#busyTarget = -1
    this.#prefetcher?.useTargets(this.#targets)
  }

  /** Sees to it that a target holds the plan's rows; returns which. */
  #fill(plan: Plan, renewed: readonly number[]): number {
    const started = this.#started
    this.#started = -1
    if (started >= 0 && this.#prefetcher?.idle() && this.#rescales === this.#allRescales()) {
      for (const i of renewed) this.#gather(started, plan, i, i + 1)
      this.#counts.ready++
      return started
    }
    const busy = this.#prefetcher?.idle() === false ? this.#busyTarget : -1
    const free = this.#targets.findIndex((_, target) => target !== this.#current && target !== busy)
    this.#gather(free, plan, 0, plan.size)
    this.#counts.gathered++
    return free
  }

  #gather(target: number, plan: Plan, from: number, to: number): void {
    const { slots, outs } = this.#targets[target]!
    this.#assembler.slotsOf(plan, slots, from, to)
    this.#assembler.columns.forEach((column, c) => {
      column.gather(slots[c]!, from, to, outs[c]!)
    })
  }

  #ahead(plan: Plan): void {
    if (!this.#prefetcher?.idle()) return
    const target = (this.#current + 1) % targetCount
    this.#assembler.slotsOf(plan, this.#targets[target]!.slots, 0, plan.size)
    this.#rescales = this.#allRescales()
    this.#prefetcher.start(target)
    this.#started = target
    this.#busyTarget = target
  }

  #allRescales(): number {
    return this.#assembler.columns.reduce((sum, column) => sum + column.rescales, 0)
  }
}
