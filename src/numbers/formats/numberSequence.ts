/** What the methods of a NumberSequence call for each number. */
export type NumberCallback<S, R> = (value: number, index: number, array: S) => R

/** Place `index` of a length counted as typed arrays count: cut to an integer, from the end if negative, kept inside. */
export function clampIndex(index: number, length: number): number {
  const whole = Math.trunc(index) || 0
  return whole < 0 ? Math.max(0, length + whole) : Math.min(whole, length)
}

/** The reading methods of a typed array, over anything that has a length and a number at every place. */
export abstract class NumberSequence implements Iterable<number> {
  abstract readonly length: number
  /** The number at a place inside, unchecked. */
  protected abstract valueAt(index: number): number

  /** The number at an index, from the end if it is negative; undefined outside. */
  at(index: number): number | undefined {
    const whole = Math.trunc(index) || 0
    const place = whole < 0 ? whole + this.length : whole
    return place >= 0 && place < this.length ? this.valueAt(place) : undefined
  }

  /** The numbers. */
  *values(): IterableIterator<number> {
    for (let i = 0; i < this.length; i++) yield this.valueAt(i)
  }
  /** The indices. */
  *keys(): IterableIterator<number> {
    for (let i = 0; i < this.length; i++) yield i
  }
  /** Pairs of index and number. */
  *entries(): IterableIterator<[number, number]> {
    for (let i = 0; i < this.length; i++) yield [i, this.valueAt(i)]
  }
  /** The numbers. */
  [Symbol.iterator](): IterableIterator<number> {
    return this.values()
  }

  /** Calls back for each number. */
  forEach(callback: NumberCallback<this, void>): void {
    for (let i = 0; i < this.length; i++) callback(this.valueAt(i), i, this)
  }
  /** Whether the predicate holds for every number. */
  every(predicate: NumberCallback<this, unknown>): boolean {
    return this.findIndex((value, i) => !predicate(value, i, this)) === -1
  }
  /** Whether the predicate holds for some number. */
  some(predicate: NumberCallback<this, unknown>): boolean {
    return this.findIndex(predicate) !== -1
  }
  /** The first number for which the predicate holds. */
  find(predicate: NumberCallback<this, unknown>): number | undefined {
    const found = this.findIndex(predicate)
    return found === -1 ? undefined : this.valueAt(found)
  }
  /** The index of the first number for which the predicate holds, or -1. */
  findIndex(predicate: NumberCallback<this, unknown>): number {
    for (let i = 0; i < this.length; i++) if (predicate(this.valueAt(i), i, this)) return i
    return -1
  }
  /** The last number for which the predicate holds. */
  findLast(predicate: NumberCallback<this, unknown>): number | undefined {
    const found = this.findLastIndex(predicate)
    return found === -1 ? undefined : this.valueAt(found)
  }
  /** The index of the last number for which the predicate holds, or -1. */
  findLastIndex(predicate: NumberCallback<this, unknown>): number {
    for (let i = this.length - 1; i >= 0; i--) if (predicate(this.valueAt(i), i, this)) return i
    return -1
  }

  /** First place of a value of the format, compared with ===: NaN is nowhere, 0 and -0 are the same; -1 if absent. */
  indexOf(value: number, from: number = 0): number {
    for (let i = clampIndex(from, this.length); i < this.length; i++) if (this.valueAt(i) === value) return i
    return -1
  }
  /** Last place of a value, as `indexOf`. */
  lastIndexOf(value: number, from: number = this.length - 1): number {
    const whole = Math.trunc(from) || 0
    for (let i = whole < 0 ? whole + this.length : Math.min(whole, this.length - 1); i >= 0; i--) {
      if (this.valueAt(i) === value) return i
    }
    return -1
  }
  /** Whether a value is there; NaN is found too. */
  includes(value: number, from: number = 0): boolean {
    if (!Number.isNaN(value)) return this.indexOf(value, from) !== -1
    for (let i = clampIndex(from, this.length); i < this.length; i++) {
      if (Number.isNaN(this.valueAt(i))) return true
    }
    return false
  }

  /** Folds from the front; the callback's result is not rounded to the format. */
  reduce(callback: (sum: number, value: number, index: number, array: this) => number): number
  reduce<T>(callback: (sum: T, value: number, index: number, array: this) => T, initial: T): T
  reduce<T>(callback: (sum: T, value: number, index: number, array: this) => T, ...initial: [T?]): T {
    const start = this.#start('reduce', initial.length)
    let sum = (initial.length > 0 ? initial[0] : this.valueAt(0)) as T
    for (let i = start; i < this.length; i++) sum = callback(sum, this.valueAt(i), i, this)
    return sum
  }
  /** Folds from the end. */
  reduceRight(callback: (sum: number, value: number, index: number, array: this) => number): number
  reduceRight<T>(callback: (sum: T, value: number, index: number, array: this) => T, initial: T): T
  reduceRight<T>(callback: (sum: T, value: number, index: number, array: this) => T, ...initial: [T?]): T {
    const last = this.length - 1 - this.#start('reduceRight', initial.length)
    let sum = (initial.length > 0 ? initial[0] : this.valueAt(this.length - 1)) as T
    for (let i = last; i >= 0; i--) sum = callback(sum, this.valueAt(i), i, this)
    return sum
  }
  #start(op: string, initials: number): number {
    if (initials === 0 && this.length === 0) {
      throw new TypeError(`${op}: an empty array needs a first value [length 0]`)
    }
    return initials === 0 ? 1 : 0
  }

  /** The numbers as text, with the separator between them. */
  join(separator: string = ','): string {
    return Array.from(this).join(separator)
  }
  /** The numbers as text, with commas between them. */
  toString(): string {
    return this.join()
  }
}
