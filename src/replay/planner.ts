import { type DrawStream, drawWithoutReplacement, drawWithReplacement } from './drawStream.js'
import type { Episodes } from './episodes.js'
import type { Plan } from './plan.js'
import type { Priorities } from './priorities.js'

/** Draws which rows a batch is of. */
export class Planner {
  readonly #episodes: Episodes
  readonly #stream: DrawStream
  readonly #priorities: Priorities | undefined
  readonly #n: number

  constructor(episodes: Episodes, stream: DrawStream, priorities: Priorities | undefined, n: number) {
    this.#episodes = episodes
    this.#stream = stream
    this.#priorities = priorities
    this.#n = n
  }

  draw(size: number, replacement: boolean): Plan {
    const { oldest, size: rows } = this.#episodes
    const indices = new Float64Array(size)
    if (this.#priorities) this.#priorities.draw(this.#stream.fill(indices))
    else if (replacement) drawWithReplacement(this.#stream, rows, indices)
    else drawWithoutReplacement(this.#stream, rows, indices)
    for (let i = 0; i < size; i++) {
      indices[i] = this.#priorities ? this.#episodes.indexIn(indices[i]!) : oldest + indices[i]!
    }
    const plan: Plan = {
      size,
      replacement,
      indices,
      lasts: this.#n > 1 ? new Float64Array(size) : undefined,
      relative: this.#priorities && new Float64Array(size),
    }
    for (let i = 0; i < size; i++) this.#complete(plan, i)
    return plan
  }

  /** Redraws the rows that were overwritten; returns their positions. */
  renew(plan: Plan): number[] {
    const { oldest } = this.#episodes
    const renewed: number[] = []
    for (let i = 0; i < plan.size; i++) if (plan.indices[i]! < oldest) renewed.push(i)
    if (renewed.length === 0) return renewed
    const taken = new Set(plan.replacement ? [] : plan.indices)
    const uniform = new Float64Array(1)
    for (const i of renewed) {
      do {
        this.#stream.fill(uniform)
        if (this.#priorities) this.#priorities.draw(uniform)
        plan.indices[i] = this.#priorities
          ? this.#episodes.indexIn(uniform[0]!)
          : oldest + Math.floor(uniform[0]! * this.#episodes.size)
      } while (taken.has(plan.indices[i]!))
      if (!plan.replacement) taken.add(plan.indices[i]!)
      this.#complete(plan, i)
    }
    return renewed
  }

  /** The last rows of `size` sequences, each drawn by itself among all there are. */
  drawSequenceEnds(size: number, length: number): Float64Array {
    const { oldest, size: rows } = this.#episodes
    const ends = new Float64Array(size)
    const tries = new Float64Array(size)
    let found = 0
    // Where most rows qualify, drawing until enough do is quick; where few do, all are listed. Both are uniform.
    for (let round = 0; round < 8 && found < size; round++) {
      drawWithReplacement(this.#stream, rows, tries)
      for (let i = 0; i < size && found < size; i++) {
        const index = oldest + tries[i]!
        if (this.#episodes.sequenceEnds(index, length)) ends[found++] = index
      }
    }
    if (found === size) return ends
    const all: number[] = []
    for (let index = oldest; index < oldest + rows; index++) {
      if (this.#episodes.sequenceEnds(index, length)) all.push(index)
    }
    if (all.length === 0) {
      throw new RangeError(`sampleSequences: no episode has that many rows in the buffer [length ${length}]`)
    }
    drawWithReplacement(this.#stream, all.length, tries)
    for (; found < size; found++) ends[found] = all[tries[found]!]!
    return ends
  }

  #complete(plan: Plan, i: number): void {
    const index = plan.indices[i]!
    if (plan.lasts) plan.lasts[i] = this.#episodes.lastOf(index, this.#n)
    if (plan.relative) {
      plan.relative[i] = this.#priorities!.relative(this.#episodes.slotOf(index), this.#episodes.size)
    }
  }
}
