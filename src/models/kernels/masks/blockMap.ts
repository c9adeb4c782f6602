import { checkInteger, checkOptions, checkRecord, type OptionTable } from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'
import { allows, type BlockKind, blockKinds } from './allows.js'
import { type Mask, maskOf } from './mask.js'

/** The array of a mask and the blocks it is cut into. */
export interface BlockMapOptions {
  /** Rows, the queries. */
  readonly tq: number
  /** Columns, the keys. */
  readonly tk: number
  /** Rows of a block. Default 128. */
  readonly blockQ?: number
  /** Columns of a block. Default 128. */
  readonly blockK?: number
}

const mapNames: OptionTable<BlockMapOptions> = {
  tq: 'required',
  tk: 'required',
  blockQ: 'optional',
  blockK: 'optional',
}

/** What a mask is in blocks, and what that saves. */
export interface BlockMap {
  readonly tq: number
  readonly tk: number
  readonly blockQ: number
  readonly blockK: number
  /** Rows of blocks, and blocks in each; the last may be shorter. */
  readonly rows: number
  readonly columns: number
  /** rows x columns, row-major: 0 nothing is allowed and the block is skipped, 1 some, 2 all. */
  readonly blocks: Uint8Array
  readonly skipped: number
  readonly partial: number
  readonly full: number
  /** Unlike contents among partial blocks: as many masks have to be stored. */
  readonly distinctPartial: number
  /** Most blocks computed in one row of blocks, at least 1: the kernel's grid. */
  readonly steps: number
  /** Most blocks computed in one column of blocks, at least 1: the grid of dk and dv. */
  readonly stepsDkv: number
  /** Pairs that the mask allows. */
  readonly allowed: number
  /** Pairs in blocks that are computed. */
  readonly computed: number
  /** Share of all pairs that is not computed. */
  readonly saved: number
  /** Share of the computed pairs that the mask does not allow. */
  readonly wasted: number
  /** Rows without an allowed pair. */
  readonly emptyRows: number
  /** Rows of blocks that are skipped whole. */
  readonly emptyBlockRows: number
}

/**
 * Which blocks of a mask are skipped, computed under a mask, and computed whole.
 *
 * Cost      a look at every pair of the partial blocks, and of blocks that the form of the mask does not tell; none at the
 *           others, nor an array of tq x tk.
 * Source    jax.experimental.pallas.ops.tpu.splash_attention, splash_attention_mask_info: 0, 1 and 2 are its numbers
 *
 * @example blockMap(causalMask(), { tq: 1024, tk: 1024 }).skipped // 28
 * @example blockMap(windowMask({ left: 127, right: 0 }), { tq: 2048, tk: 2048 }).steps // 2
 * @example blockMap(causalMask(), { tq: 4, tk: 4, blockQ: 0 }) // throws blockMap: blockQ is not a whole number, 1 or more [0]
 */
export function blockMap(mask: Mask | Tensor<'bool'>, options: BlockMapOptions): BlockMap {
  if (!(mask instanceof Tensor)) checkRecord('blockMap', 'mask', mask, ['kind'])
  checkOptions('blockMap', options, mapNames)
  const { tq, tk, blockQ = 128, blockK = 128 } = options
  checkInteger('blockMap', 'tq', tq)
  checkInteger('blockMap', 'tk', tk)
  checkInteger('blockMap', 'blockQ', blockQ, 1)
  checkInteger('blockMap', 'blockK', blockK, 1)
  const known = maskOf('blockMap', mask, tq, tk)
  const [rows, columns] = [Math.ceil(tq / blockQ), Math.ceil(tk / blockK)]
  const kinds = blockKinds(known)
  const allowed = allows(known)
  const blocks = new Uint8Array(rows * columns)
  const seen = new Uint8Array(tq)
  const contents = new Contents()
  const counts = [0, 0, 0]
  let [pairs, computed] = [0, 0]
  for (let row = 0; row < rows; row++) {
    const [i0, i1] = [row * blockQ, Math.min(tq, (row + 1) * blockQ)]
    for (let column = 0; column < columns; column++) {
      const [j0, j1] = [column * blockK, Math.min(tk, (column + 1) * blockK)]
      const kind: BlockKind = kinds(i0, i1, j0, j1)
      blocks[row * columns + column] = kind
      counts[kind]!++
      if (kind === 0) continue
      computed += (i1 - i0) * (j1 - j0)
      if (kind === 2) {
        pairs += (i1 - i0) * (j1 - j0)
        seen.fill(1, i0, i1)
      } else {
        pairs += contents.add(allowed, i0, i1, j0, j1, seen)
      }
    }
  }
  const inRow = (row: number): number => count(columns, (column) => blocks[row * columns + column]! > 0)
  const inColumn = (column: number): number => count(rows, (row) => blocks[row * columns + column]! > 0)
  const perRow = Array.from({ length: rows }, (_, row) => inRow(row))
  return {
    ...{ tq, tk, blockQ, blockK, rows, columns, blocks },
    ...{ skipped: counts[0]!, partial: counts[1]!, full: counts[2]! },
    distinctPartial: contents.size,
    steps: perRow.reduce((most, n) => Math.max(most, n), 1),
    stepsDkv: Array.from({ length: columns }, (_, column) => inColumn(column)).reduce(
      (most, n) => Math.max(most, n),
      1,
    ),
    allowed: pairs,
    computed,
    saved: tq * tk === 0 ? 0 : 1 - computed / (tq * tk),
    wasted: computed === 0 ? 0 : 1 - pairs / computed,
    emptyRows: count(tq, (i) => seen[i] === 0),
    emptyBlockRows: count(rows, (row) => perRow[row] === 0),
  }
}

function count(n: number, is: (k: number) => boolean): number {
  let total = 0
  for (let k = 0; k < n; k++) if (is(k)) total++
  return total
}

/** The unlike contents of blocks, as bits, found by a hash and then compared. */
class Contents {
  size = 0
  readonly #byHash = new Map<number, Uint32Array[]>()

  /** Looks at every pair of a block, marks its rows that have one, and gives how many it has. */
  add(
    allowed: (i: number, j: number) => boolean,
    i0: number,
    i1: number,
    j0: number,
    j1: number,
    seen: Uint8Array,
  ): number {
    const width = j1 - j0
    // Its size tells a block at an edge apart from a whole one.
    const bits = new Uint32Array(2 + Math.ceil(((i1 - i0) * width) / 32))
    bits.set([i1 - i0, width])
    let [pairs, place] = [0, 64]
    for (let i = i0; i < i1; i++) {
      for (let j = j0; j < j1; j++, place++) {
        if (!allowed(i, j)) continue
        bits[place >>> 5]! |= 1 << (place & 31)
        seen[i] = 1
        pairs++
      }
    }
    this.#note(bits)
    return pairs
  }

  #note(bits: Uint32Array): void {
    let hash = 0
    for (const word of bits) hash = (Math.imul(hash, 0x01000193) ^ word) | 0
    const alike = this.#byHash.get(hash) ?? []
    if (alike.some((other) => other.length === bits.length && other.every((word, k) => word === bits[k]))) {
      return
    }
    this.#byHash.set(hash, [...alike, bits])
    this.size++
  }
}
