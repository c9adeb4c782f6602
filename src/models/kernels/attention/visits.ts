import { allows, blockKinds } from '../masks/allows.js'
import type { FlashPlan } from './plan.js'

/** The blocks of columns that a block of rows computes. */
export interface Visit {
  readonly skips: (column: number) => boolean
  /** rows x width, 1 where a pair is allowed; undefined where all are. */
  readonly allowed: (column: number) => Uint8Array | undefined
}

/**
 * Which blocks a mask lets a kernel skip, and what it allows in the others: looked at once for each block of rows, in memory
 * for one block of rows. Segments never skip a block.
 */
export function visits(
  { mask, segments, blockQ, blockK }: FlashPlan,
  tq: number,
  tk: number,
): (row: number) => Visit {
  const kindOf = blockKinds(mask)
  const allowed = allows(mask)
  const columns = Math.ceil(tk / blockK)
  const kinds = new Uint8Array(columns)
  const room = new Uint8Array(Math.min(blockQ, tq) * tk)
  return (row) => {
    const [i0, i1] = [row * blockQ, Math.min(tq, (row + 1) * blockQ)]
    const part = (column: number): Uint8Array => {
      const [j0, j1] = [column * blockK, Math.min(tk, (column + 1) * blockK)]
      return room.subarray((i1 - i0) * j0, (i1 - i0) * j1)
    }
    for (let column = 0; column < columns; column++) {
      const [j0, j1] = [column * blockK, Math.min(tk, (column + 1) * blockK)]
      const kind = kindOf(i0, i1, j0, j1)
      kinds[column] = kind === 2 && segments ? 1 : kind
      if (kinds[column] !== 1) continue
      const bits = part(column)
      for (let i = i0, at = 0; i < i1; i++) {
        for (let j = j0; j < j1; j++, at++) {
          const is = (kind === 2 || allowed(i, j)) && (!segments || segments.q[i] === segments.kv[j])
          bits[at] = is ? 1 : 0
        }
      }
    }
    return {
      skips: (column) => kinds[column] === 0,
      allowed: (column) => (kinds[column] === 1 ? part(column) : undefined),
    }
  }
}
