import type { Step } from '../program/program.js'

/** Steps of two programs that stand for each other: places in the first and in the second. */
export type Pair = readonly [a: number, b: number]

/** The most cells of the table of the longest common subsequence: two programs of 4,000 different steps each. */
const mostCells = 2 ** 24

/**
 * Pairs the steps of two programs of the same kind, in order: those in front and at the end that are alike in operation, dtype and shape, and
 * between them a longest common subsequence.
 *
 * Throws    RangeError where what is between them is too long for a table.
 */
export function alignSteps(a: readonly Step[], b: readonly Step[]): readonly Pair[] {
  const [keysA, keysB] = [a.map(keyOf), b.map(keyOf)]
  let front = 0
  while (front < a.length && front < b.length && keysA[front] === keysB[front]) front++
  let back = 0
  while (back < a.length - front && back < b.length - front && keysA.at(-1 - back) === keysB.at(-1 - back)) {
    back++
  }
  const middle = longestCommon(keysA.slice(front, a.length - back), keysB.slice(front, b.length - back))
  return [
    ...Array.from({ length: front }, (_, i): Pair => [i, i]),
    ...middle.map(([i, j]): Pair => [i + front, j + front]),
    ...Array.from({ length: back }, (_, i): Pair => [a.length - back + i, b.length - back + i]),
  ]
}

function keyOf({ op, output }: Step): string {
  return `${op.name} ${output.dtype} ${output.shape.join('x')}`
}

/** A longest common subsequence of two lists, as pairs of places. */
function longestCommon(a: readonly string[], b: readonly string[]): Pair[] {
  const [n, m] = [a.length, b.length]
  if (n === 0 || m === 0) return []
  if ((n + 1) * (m + 1) > mostCells) {
    throw new RangeError(`compareRuns: the programs differ in too many operations to be aligned [${n}, ${m}]`)
  }
  const width = m + 1
  const lengths = new Int32Array((n + 1) * width)
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const pairs: Pair[] = []
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return pairs
}
