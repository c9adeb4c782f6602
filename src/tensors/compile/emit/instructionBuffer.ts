import type { Address } from './slots.js'

/** A run of words, and which of them are offsets among the constants. */
interface Section {
  readonly words: number[]
  readonly relative: number[]
}

const empty = (): Section => ({ words: [], relative: [] })

/** The words of a program: those that run one after the other, and behind them those of parts that may run at once. */
export class InstructionBuffer {
  readonly #main: Section = empty()
  readonly #parts: Section[] = []
  #to: Section = this.#main

  /** How many there are of those that run one after the other. */
  get length(): number {
    return this.#main.words.length
  }

  write(...list: readonly Address[]): void {
    const { words, relative } = this.#to
    for (const word of list) {
      if (typeof word === 'number') {
        words.push(word)
      } else {
        relative.push(words.length)
        words.push(word.offset)
      }
    }
  }

  /** What `each` writes is a part by itself; gives its number. */
  part(each: () => void): number {
    this.#to = empty()
    const number = this.#parts.push(this.#to) - 1
    each()
    this.#to = this.#main
    return number
  }

  /** All words, where constants lie at an address, and in which word each part begins. */
  link(constantsAt: number): { readonly words: readonly number[]; readonly parts: readonly number[] } {
    const words: number[] = []
    const parts: number[] = []
    for (const sheet of [this.#main, ...this.#parts]) {
      parts.push(words.length)
      const own = [...sheet.words]
      for (const i of sheet.relative) own[i]! += constantsAt
      for (const word of own) words.push(word)
    }
    return { words, parts: parts.slice(1) }
  }
}

/** What a thread gets of a step: from which of its units on, and up to which. */
export interface WorkRange {
  readonly from: number
  readonly to: number
}

/** A step of one part. */
export const wholeRange = (units: number): readonly WorkRange[] => [{ from: 0, to: units }]

/** Nanoseconds that a part takes at least: waking a thread takes some of them. */
const least = 20000

/** Shares of a step of so many units, nanoseconds in all; as many as there are threads, if each has enough to do. */
export function splitRange(threads: number, units: number, nanoseconds: number): readonly WorkRange[] {
  const count = Math.max(1, Math.min(threads, units, Math.floor(nanoseconds / least)))
  return Array.from({ length: count }, (_, i) => ({
    from: Math.floor((units * i) / count),
    to: Math.floor((units * (i + 1)) / count),
  }))
}

/** Things in so many lots of about the same size. */
export function partitionBySize<T>(
  things: readonly T[],
  count: number,
  sizeOf: (thing: T) => number,
): readonly (readonly T[])[] {
  const lots = Array.from({ length: count }, () => ({ size: 0, things: [] as T[] }))
  for (const thing of [...things].sort((a, b) => sizeOf(b) - sizeOf(a))) {
    const lot = lots.reduce((least, each) => (each.size < least.size ? each : least))
    lot.things.push(thing)
    lot.size += sizeOf(thing)
  }
  return lots.map((lot) => lot.things)
}
