/** A stretch of memory that a value needs, from the step that makes it to the last one that reads it, both counted in. */
export interface Need {
  readonly bytes: number
  readonly from: number
  readonly to: number
}

/**
 * What loops go along side by side begins a whole number of these bytes apart. A processor compares the last 12 bits of addresses first: a read
 * a little further on, in them, than a write just done waits for it, wherever that was.
 */
const apart = 512

/** Where a stretch of memory of so many bytes may begin: at a multiple of this. */
const alignment = (bytes: number): number => (bytes < 4096 ? 32 : apart)

// No bit operation: addresses go up to 2^32.
const up = (n: number, multiple: number): number => Math.ceil(n / multiple) * multiple

/** The next multiple of 32. */
export const up32 = (n: number): number => up(n, 32)

/** Room for the elements of a value, and for what an instruction that takes sixteen at a time may write behind the last one. */
export function roomFor(size: number, bytes: number): number {
  return up32(size * bytes) + 64
}

/** At least so many bytes, such that stretches of this size one behind the other begin where they may. */
export function spaced(bytes: number): number {
  return up(bytes, alignment(bytes))
}

/** Offsets from 0 for some needs, such that none of two that are alive at once overlap, and how much that takes in all. */
export function planMemory(needs: readonly Need[]): {
  readonly offsets: readonly number[]
  readonly bytes: number
} {
  const offsets = new Array<number>(needs.length).fill(0)
  const order = needs.map((_, i) => i).sort((a, b) => needs[a]!.from - needs[b]!.from || a - b)
  /** Stretches taken now, by offset. */
  let taken: { readonly offset: number; readonly end: number; readonly to: number }[] = []
  let most = 0
  for (const i of order) {
    const { bytes, from, to } = needs[i]!
    taken = taken.filter((stretch) => stretch.to >= from)
    const start = alignment(bytes)
    let offset = 0
    let at = 0
    for (; at < taken.length; at++) {
      if (taken[at]!.offset - offset >= bytes) break
      offset = up(taken[at]!.end, start)
    }
    offsets[i] = offset
    taken.splice(at, 0, { offset, end: offset + bytes, to })
    most = Math.max(most, offset + bytes)
  }
  return { offsets, bytes: most }
}
