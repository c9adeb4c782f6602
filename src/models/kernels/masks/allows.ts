import type { Mask } from './mask.js'

/** How much of a block is allowed: 0 nothing (it is skipped), 1 some, 2 all. */
export type BlockKind = 0 | 1 | 2

/** Whether row i and column j of a mask attend: the reference for every faster form. */
export type Allows = (i: number, j: number) => boolean

/** The definition of every mask, as a function of row and column. */
export function allows(mask: Mask): Allows {
  switch (mask.kind) {
    case 'full':
      return () => true
    case 'causal': {
      const { offset } = mask
      return (i, j) => i + offset >= j
    }
    case 'window': {
      const { offset } = mask
      const [left, right] = [mask.left ?? Infinity, mask.right ?? Infinity]
      return (i, j) => i + offset - left <= j && i + offset + right >= j
    }
    case 'chunked': {
      const { size } = mask
      return (i, j) => i >= j && Math.floor(i / size) === Math.floor(j / size)
    }
    case 'prefix': {
      const { length } = mask
      return (i, j) => j < length || i >= j
    }
    case 'segments': {
      const ids = segmentIds(mask.lengths)
      return (i, j) => ids[i] === ids[j]
    }
    case 'strided': {
      const { stride } = mask
      return (i, j) => i >= j && (i - j) % stride === 0
    }
    case 'fixed': {
      const { stride, summary } = mask
      return (i, j) =>
        i >= j && (Math.floor(i / stride) === Math.floor(j / stride) || j % stride >= stride - summary)
    }
    case 'dilated': {
      const { reach, step } = mask
      return (i, j) => Math.abs(i - j) <= reach * step && (i - j) % step === 0
    }
    case 'globals': {
      const { count } = mask
      return (i, j) => i < count || j < count
    }
    case 'blocks': {
      const { size } = mask
      const listed = listedBlocks(mask)
      return (i, j) => listed.has(blockNumber(Math.floor(i / size), Math.floor(j / size)))
    }
    case 'dense': {
      const { data, shape } = mask.allowed
      const tk = shape[1]!
      return (i, j) => data[i * tk + j] !== 0
    }
    case 'and': {
      const parts = mask.of.map(allows)
      return (i, j) => parts.every((part) => part(i, j))
    }
    case 'or': {
      const parts = mask.of.map(allows)
      return (i, j) => parts.some((part) => part(i, j))
    }
    default:
      return mask satisfies never
  }
}

/** The number of its segment for every position. */
function segmentIds(lengths: readonly number[]): Int32Array {
  return Int32Array.from(lengths.flatMap((length, id) => Array.from({ length }, () => id)))
}

/** One number for a row and a column of blocks. */
const blockNumber = (row: number, column: number): number => row * 2 ** 26 + column

function listedBlocks({ pairs }: Extract<Mask, { kind: 'blocks' }>): ReadonlySet<number> {
  return new Set(pairs.map(([row, column]) => blockNumber(row, column)))
}

/** What a mask allows of rows i0 to i1 - 1 and columns j0 to j1 - 1; undefined where only looking at each pair tells. */
type Rectangle = (i0: number, i1: number, j0: number, j1: number) => BlockKind | undefined

/** The kind of any block of a mask: by its corners where the mask's form tells, else by its pairs. */
export function blockKinds(mask: Mask): (i0: number, i1: number, j0: number, j1: number) => BlockKind {
  const allowed = allows(mask)
  const rectangle = rectangleOf(mask)
  return (i0, i1, j0, j1) => {
    if (i0 >= i1 || j0 >= j1) return 0
    const known = rectangle(i0, i1, j0, j1)
    if (known !== undefined) return known
    const first = allowed(i0, j0)
    for (let i = i0; i < i1; i++) {
      for (let j = j0; j < j1; j++) if (allowed(i, j) !== first) return 1
    }
    return first ? 2 : 0
  }
}

function rectangleOf(mask: Mask): Rectangle {
  switch (mask.kind) {
    case 'full':
      return () => 2
    case 'causal':
      return (i0, i1, j0, j1) => differences(i0, i1, j0, j1, 0, Infinity, 1, mask.offset)
    case 'window': {
      const [left, right] = [mask.left ?? Infinity, mask.right ?? Infinity]
      return (i0, i1, j0, j1) => differences(i0, i1, j0, j1, -right, left, 1, mask.offset)
    }
    case 'strided':
      return (i0, i1, j0, j1) => differences(i0, i1, j0, j1, 0, Infinity, mask.stride)
    case 'dilated': {
      const far = mask.reach * mask.step
      return (i0, i1, j0, j1) => differences(i0, i1, j0, j1, -far, far, mask.step)
    }
    case 'chunked':
      return (i0, i1, j0, j1) => chunks(i0, i1, j0, j1, mask.size)
    case 'prefix': {
      const { length } = mask
      return (i0, i1, j0, j1) => {
        if (j1 <= length) return 2
        const beyond = differences(i0, i1, Math.max(j0, length), j1, 0, Infinity, 1)
        return beyond === 0 && j0 < length ? 1 : beyond
      }
    }
    case 'segments': {
      const ids = segmentIds(mask.lengths)
      return (i0, i1, j0, j1) => {
        const [rows, columns] = [
          [ids[i0]!, ids[i1 - 1]!],
          [ids[j0]!, ids[j1 - 1]!],
        ] as const
        if (rows[1] < columns[0] || columns[1] < rows[0]) return 0
        return rows[0] === rows[1] && columns[0] === columns[1] ? 2 : undefined
      }
    }
    case 'fixed':
      return (_, i1, j0) => (i1 - 1 < j0 ? 0 : undefined)
    case 'globals': {
      const { count } = mask
      return (i0, i1, j0, j1) => (i1 <= count || j1 <= count ? 2 : i0 < count || j0 < count ? 1 : 0)
    }
    case 'blocks': {
      const { size } = mask
      const listed = listedBlocks(mask)
      return (i0, i1, j0, j1) => {
        let [some, all] = [false, true]
        for (let row = Math.floor(i0 / size); row * size < i1; row++) {
          for (let column = Math.floor(j0 / size); column * size < j1; column++) {
            const is = listed.has(blockNumber(row, column))
            some ||= is
            all &&= is
          }
        }
        return all ? 2 : some ? 1 : 0
      }
    }
    case 'dense':
      return () => undefined
    case 'and':
      return combined(mask.of, 0, 2)
    case 'or':
      return combined(mask.of, 2, 0)
    default:
      return mask satisfies never
  }
}

/** Masks joined: one part of kind `decides` settles the block, parts of kind `yields` change nothing. */
function combined(parts: readonly Mask[], decides: BlockKind, yields: BlockKind): Rectangle {
  const rectangles = parts.map(rectangleOf)
  return (i0, i1, j0, j1) => {
    const kinds = rectangles.map((rectangle) => rectangle(i0, i1, j0, j1))
    if (kinds.includes(decides)) return decides
    const others = kinds.filter((kind) => kind !== yields)
    if (others.length === 0) return yields
    return others.length === 1 ? others[0] : undefined
  }
}

/** Of the differences i + offset - j of a block, which are every whole number between two, those from low to high in steps. */
function differences(
  i0: number,
  i1: number,
  j0: number,
  j1: number,
  low: number,
  high: number,
  step: number,
  offset: number = 0,
): BlockKind {
  const [least, most] = [i0 + offset - (j1 - 1), i1 - 1 + offset - j0]
  const first = Math.ceil(Math.max(least, low) / step) * step
  if (first > Math.min(most, high)) return 0
  const inside = least >= low && most <= high
  return inside && (step === 1 || least === most) ? 2 : 1
}

function chunks(i0: number, i1: number, j0: number, j1: number, size: number): BlockKind | undefined {
  const of = (position: number): number => Math.floor(position / size)
  if (i1 - 1 < j0 || of(i1 - 1) < of(j0) || of(j1 - 1) < of(i0)) return 0
  const one = of(i0) === of(i1 - 1) && of(j0) === of(j1 - 1)
  return one ? differences(i0, i1, j0, j1, 0, Infinity, 1) : undefined
}
