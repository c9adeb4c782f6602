export const terminatedBit = 1
const truncatedBit = 2

/**
 * How the rows of a ring belong together: rows are numbered from the first one ever added, row i + environments follows
 * row i in its environment, and every row knows how many of its episode came before it.
 */
export class Episodes {
  readonly capacity: number
  readonly environments: number
  /** Bit 0 terminated, bit 1 truncated, per slot. */
  readonly flags: Uint8Array
  /** How many rows of its episode came before the one in a slot. */
  readonly ages: Uint32Array
  #total = 0
  /** The number of the row that is in slot 0, or will be. */
  #lap = 0

  constructor(capacity: number, environments: number) {
    this.capacity = capacity
    this.environments = environments
    this.flags = new Uint8Array(capacity)
    this.ages = new Uint32Array(capacity)
  }

  /** Rows ever added. */
  get total(): number {
    return this.#total
  }

  set total(total: number) {
    this.#total = total
    this.#lap = total - (total % this.capacity)
  }

  get size(): number {
    return Math.min(this.#total, this.capacity)
  }

  /** The number of the oldest row there is. */
  get oldest(): number {
    return Math.max(0, this.#total - this.capacity)
  }

  /** Where a row is that is in the ring, or is the next one: index % capacity, without a division. */
  slotOf(index: number): number {
    const ahead = index - this.#lap
    return ahead < 0 ? ahead + this.capacity : ahead
  }

  /** The number of the row that is in a slot. */
  indexIn(slot: number): number {
    const index = this.#lap + slot
    return index < this.#total ? index : index - this.capacity
  }

  /** Records the next row, whose slot it returns. */
  push(terminated: boolean, truncated: boolean): number {
    const total = this.#total
    if (total - this.#lap === this.capacity) this.#lap = total
    const slot = total - this.#lap
    const before = total - this.environments
    // With as many environments as rows the one before is in this very slot: read before it is overwritten.
    const begins = before < 0 || this.ends(before)
    const age = begins ? 0 : this.ages[this.slotOf(before)]! + 1
    this.ages[slot] = age
    this.flags[slot] = (terminated ? terminatedBit : 0) | (truncated ? truncatedBit : 0)
    this.#total = total + 1
    return slot
  }

  ends(index: number): boolean {
    return this.flagsOf(index) !== 0
  }

  /** Bit 0 terminated, bit 1 truncated. */
  flagsOf(index: number): number {
    return this.flags[this.slotOf(index)]!
  }

  /** Marks the newest row of every environment as truncated, unless it ends its episode anyway; returns how many. */
  truncateAll(): number {
    let count = 0
    for (let index = Math.max(this.oldest, this.total - this.environments); index < this.total; index++) {
      if (this.ends(index)) continue
      this.flags[this.slotOf(index)]! |= truncatedBit
      count++
    }
    return count
  }

  /** The last of at most n rows from `index` on: cut where the episode ends, or at the newest row. */
  lastOf(index: number, n: number): number {
    let last = index
    for (let i = 1; i < n && !this.ends(last) && last + this.environments < this.total; i++) {
      last += this.environments
    }
    return last
  }

  /** Whether `length` rows of one episode end with row `index` and are all there. */
  sequenceEnds(index: number, length: number): boolean {
    const span = length - 1
    return this.ages[this.slotOf(index)]! >= span && index - span * this.environments >= this.oldest
  }
}
