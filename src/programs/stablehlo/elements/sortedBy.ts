/** Keys in ascending order, whole numbers of at most 32 bits or bigints; `descending` ones come largest first. */
export interface SortKeys {
  readonly values: Int32Array | Uint32Array | Float64Array | BigInt64Array
  readonly descending: boolean
}

/** Longer lanes do not fit a float64 beside a key of 32 bits. */
const longestPacked = 2 ** 20

/** The places along lanes that put their keys in order, equal ones as they were; the first keys decide. */
export function sortedBy(keys: readonly SortKeys[], length: number, inner: number, size: number): Int32Array {
  const order = new Int32Array(size)
  const lanes = length === 0 ? 0 : size / length
  const [only] = keys
  const isPacked =
    keys.length === 1 &&
    length <= longestPacked &&
    (only!.values instanceof Int32Array || only!.values instanceof Uint32Array)
  const packed = new Float64Array(isPacked ? length : 0)
  for (let lane = 0; lane < lanes; lane++) {
    const first = Math.floor(lane / inner) * length * inner + (lane % inner)
    if (isPacked) {
      // A key and a place in one number, which the engine sorts without asking us.
      const { values, descending } = only!
      const sign = descending ? -1 : 1
      for (let i = 0; i < length; i++) {
        packed[i] = sign * (values[first + i * inner] as number) * longestPacked + i
      }
      packed.sort()
      for (let i = 0; i < length; i++) {
        const place = packed[i]! % longestPacked
        order[first + i * inner] = place < 0 ? place + longestPacked : place
      }
      continue
    }
    const places = Int32Array.from({ length }, (_, i) => i)
    places.sort((i, j) => {
      for (const { values, descending } of keys) {
        const [a, b] = [values[first + i * inner]!, values[first + j * inner]!]
        if (a !== b) return a < b !== descending ? -1 : 1
      }
      return i - j
    })
    for (let i = 0; i < length; i++) order[first + i * inner] = places[i]!
  }
  return order
}
