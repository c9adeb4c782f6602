/** One column, as a gather loop needs it. Typed arrays over shared memory cross to a worker as they are. */
export interface GatherSource {
  /** The numbers or codes of all rows. */
  readonly array: Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array
  /** Elements from a row to the next, and to the column's first number in a row. */
  readonly stride: number
  readonly offset: number
  readonly width: number
  /** The value of every code, where the column holds codes. */
  readonly table: Float32Array | undefined
  /** What the decoded numbers of a row are multiplied with, one factor per number. */
  readonly scales: Float64Array | undefined
}

/**
 * Copies the column of rows slots[from] .. slots[to - 1] to `out`, decoded, one row behind the other, at from * width.
 * A worker runs this function from its source text: it uses nothing but its arguments.
 */
export function gatherColumn(
  source: GatherSource,
  slots: Uint32Array,
  from: number,
  to: number,
  out: Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array,
): void {
  const { array, stride, offset, width, table, scales } = source
  if (from === to) return
  // Rows lie far apart. Reads that nothing waits for overlap, so one of each row first brings all of them near; their sum
  // is stored where a number of the batch will be, since what is not used would not be read.
  let read = 0
  for (let i = from; i < to; i++) read += array[slots[i]! * stride + offset]!
  out[from * width] = read
  if (width === 1 && table === undefined) {
    for (let i = from; i < to; i++) out[i] = array[slots[i]! * stride + offset]!
    return
  }
  // From here on a call that copies a whole row costs less than a loop over it.
  const long = 64
  for (let i = from; i < to; i++) {
    const begin = slots[i]! * stride + offset
    const target = i * width
    if (table === undefined) {
      if (width >= long) out.set(array.subarray(begin, begin + width), target)
      else for (let j = 0; j < width; j++) out[target + j] = array[begin + j]!
    } else if (scales === undefined) {
      for (let j = 0; j < width; j++) out[target + j] = table[array[begin + j]!]!
    } else {
      for (let j = 0; j < width; j++) out[target + j] = table[array[begin + j]!]! * scales[j]!
    }
  }
}
