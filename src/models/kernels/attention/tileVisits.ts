import { lanesOf, type TileMask } from '../../../numbers/simd/index.js'
import { type Allows, allows, blockKinds } from '../masks/allows.js'
import type { Mask } from '../masks/mask.js'
import type { FlashPlan } from './plan.js'

/** The blocks of columns that a block of rows computes, as tiles of the arena have them. */
export interface TileVisit {
  readonly skips: (column: number) => boolean
  /** Undefined where all pairs are allowed. */
  readonly mask: (column: number) => TileMask | undefined
}

/** What `visits` says, with its masks keys by queries, and which queries and keys of each have a pair. */
export function tileVisits(
  { mask, segments, blockQ, blockK }: FlashPlan,
  tq: number,
  tk: number,
): (row: number) => TileVisit {
  const kindOf = blockKinds(mask)
  const allowed = allows(mask)
  const columns = Math.ceil(tk / blockK)
  const lanes = lanesOf(Math.min(blockQ, tq))
  const room = new Uint8Array(tk * lanes)
  return (row) => {
    const masks = new Array<TileMask | undefined>(columns)
    const kinds = new Uint8Array(columns)
    const [i0, i1] = [row * blockQ, Math.min(tq, (row + 1) * blockQ)]
    for (let column = 0; column < columns; column++) {
      const [j0, j1] = [column * blockK, Math.min(tk, (column + 1) * blockK)]
      const kind = kindOf(i0, i1, j0, j1)
      kinds[column] = kind
      if (kind === 0 || (kind === 2 && !segments)) continue
      const bits = room.subarray(j0 * lanes, j1 * lanes)
      const is: Allows = segments
        ? (i, j) => (kind === 2 || allowed(i, j)) && segments.q[i] === segments.kv[j]
        : allowed
      const fill = (segments ? undefined : runOf(mask, i0)) ?? pairsOf(is, i0)
      masks[column] = filled(bits, lanes, i1 - i0, j1 - j0, (keyRow, j) => fill(keyRow, j0 + j))
    }
    return { skips: (column) => kinds[column] === 0, mask: (column) => masks[column] }
  }
}

/** Writes 1 where the queries of a tile attend to a key, into zeros; gives the first, and the one behind the last. */
type Fill = (row: Uint8Array, key: number) => readonly [from: number, to: number]

/** For masks where queries that attend to a key follow each other; undefined for others. */
function runOf(mask: Mask, i0: number): Fill | undefined {
  if (mask.kind !== 'causal' && mask.kind !== 'window') return undefined
  const [left, right] =
    mask.kind === 'causal' ? [Infinity, 0] : [mask.left ?? Infinity, mask.right ?? Infinity]
  return (row, key) => {
    const from = Math.max(0, key - mask.offset - right - i0)
    const to = Math.min(row.length, key - mask.offset + left + 1 - i0)
    if (from < to) row.fill(1, from, to)
    return [from, to]
  }
}

const pairsOf =
  (is: Allows, i0: number): Fill =>
  (row, key) => {
    for (let i = 0; i < row.length; i++) if (is(i0 + i, key)) row[i] = 1
    return [Math.max(0, row.indexOf(1)), row.lastIndexOf(1) + 1]
  }

/** A mask's bits, [keys][lanes], and their spans. */
function filled(bits: Uint8Array, lanes: number, queries: number, keys: number, fill: Fill): TileMask {
  bits.fill(0)
  const byQuery = emptySpans(queries)
  const byKey = emptySpans(keys)
  for (let j = 0; j < keys; j++) {
    const [from, to] = fill(bits.subarray(j * lanes, j * lanes + queries), j)
    if (from >= to) continue
    widen(byKey, j >> 2, from, to)
    for (let band = from >> 2; band < (to + 3) >> 2; band++) widen(byQuery, band, j, j + 1)
  }
  return { bits, byQuery, byKey }
}

/** A pair of numbers for each four: the largest and 0, which is none. */
function emptySpans(count: number): Int32Array {
  return Int32Array.from({ length: 2 * Math.ceil(count / 4) }, (_, i) => (i % 2 === 0 ? 0x7fffffff : 0))
}

function widen(spans: Int32Array, band: number, from: number, to: number): void {
  spans[2 * band] = Math.min(spans[2 * band]!, from)
  spans[2 * band + 1] = Math.max(spans[2 * band + 1]!, to)
}
