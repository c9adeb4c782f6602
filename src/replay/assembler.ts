import { type AnyBatch, newBatch } from './batch.js'
import type { Column } from './column.js'
import { type Episodes, terminatedBit } from './episodes.js'
import type { NumericColumn } from './layout.js'
import type { Plan } from './plan.js'
import type { NStep } from './replayOptions.js'
import { returnsOf } from './returns.js'

/** Turns plans into batches. */
export class Assembler {
  readonly columns: readonly Column[]
  readonly nStep: NStep | undefined
  readonly #episodes: Episodes
  /** Per column whether an n-step return takes it from its last row. */
  readonly #isNext: readonly boolean[]
  readonly #reward: Column | undefined
  /** Slots of first and of last rows, kept for the next batch of as many. */
  readonly #scratch: [Uint32Array, Uint32Array] = [new Uint32Array(0), new Uint32Array(0)]

  constructor(columns: readonly Column[], episodes: Episodes, nStep: NStep | undefined) {
    this.columns = columns
    this.nStep = nStep
    this.#episodes = episodes
    this.#isNext = columns.map(({ place }) => place.name.startsWith('next'))
    this.#reward = columns.find(({ place }) => place.name === 'reward')
  }

  /** Writes into `slots`, per column, where rows from .. to - 1 of a plan lie. */
  slotsOf({ indices, lasts }: Plan, slots: readonly Uint32Array[], from: number, to: number): void {
    const episodes = this.#episodes
    for (let c = 0; c < slots.length; c++) {
      const rows = this.#isNext[c] ? (lasts ?? indices) : indices
      for (let i = from; i < to; i++) slots[c]![i] = episodes.slotOf(rows[i]!)
    }
  }

  /** The columns of a batch. */
  gather({ size, indices, lasts }: Plan, batch: AnyBatch): void {
    const slots = this.#slots(indices, 0)
    const lastSlots = lasts ? this.#slots(lasts, 1) : slots
    this.columns.forEach((column, c) => {
      const out = batch[column.place.name] as NumericColumn
      column.gather(this.#isNext[c] ? lastSlots : slots, 0, size, out)
    })
  }

  /** Everything but the columns as they were gathered. */
  finish({ indices, lasts = indices, relative }: Plan, batch: AnyBatch, beta: number): void {
    const episodes = this.#episodes
    batch.indices.set(indices)
    for (let i = 0; i < batch.size; i++) {
      const flags = episodes.flagsOf(lasts[i]!)
      batch.terminated[i] = flags & terminatedBit
      batch.truncated[i] = flags >> 1
    }
    if (this.nStep && batch.discount) returnsOf(batch, lasts, this.nStep, this.#reward!, episodes)
    if (relative) weigh(relative, beta, batch.weights)
    else batch.weights.fill(1)
  }

  /** Rows as they were added. */
  rows(indices: Float64Array): AnyBatch {
    const size = indices.length
    const batch = newBatch(this.columns, size, { nStep: false, allocate: (bytes) => new ArrayBuffer(bytes) })
    const plan: Plan = { size, indices, replacement: true, lasts: undefined, relative: undefined }
    this.gather(plan, batch)
    this.finish(plan, batch, 0)
    return batch
  }

  #slots(indices: Float64Array, which: 0 | 1): Uint32Array {
    const episodes = this.#episodes
    if (this.#scratch[which].length !== indices.length) this.#scratch[which] = new Uint32Array(indices.length)
    const slots = this.#scratch[which]
    for (let i = 0; i < slots.length; i++) slots[i] = episodes.slotOf(indices[i]!)
    return slots
  }
}

/** (size P)^-beta over the largest of the batch; computed in float64, by logarithms for speed, rounded once. */
function weigh(relative: Float64Array, beta: number, out: Float32Array): void {
  let least = Infinity
  for (const share of relative) least = Math.min(least, share)
  for (let i = 0; i < out.length; i++) out[i] = Math.exp(-beta * Math.log(relative[i]! / least))
}
