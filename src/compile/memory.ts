/** A stretch of memory that a value needs, from the step that makes it to the last one that reads it, both counted in. */
export interface Need {
  readonly bytes: number
  readonly from: number
  readonly to: number
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
    let offset = 0
    let at = 0
    for (; at < taken.length; at++) {
      if (taken[at]!.offset - offset >= bytes) break
      offset = taken[at]!.end
    }
    offsets[i] = offset
    taken.splice(at, 0, { offset, end: offset + bytes, to })
    most = Math.max(most, offset + bytes)
  }
  return { offsets, bytes: most }
}
