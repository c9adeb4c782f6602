/** Where the elements of one chunk begin and end. */
export interface Chunk {
  readonly start: number
  readonly end: number
}

/**
 * n elements in `count` chunks whose sizes differ by at most one, the larger ones first: chunk c is the one that
 * replica c ends with.
 */
export function chunkOf(n: number, count: number, c: number): Chunk {
  const least = Math.floor(n / count)
  const larger = n % count
  const start = c * least + Math.min(c, larger)
  return { start, end: start + least + (c < larger ? 1 : 0) }
}

/** How many elements chunk c has. */
export function chunkSize(n: number, count: number, c: number): number {
  return Math.floor(n / count) + (c < n % count ? 1 : 0)
}
