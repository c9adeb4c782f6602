import { blockMap } from 'tpu-toolkit/kernels'
import type { MapAnswer, MapAsked } from './attentionMessages.js'

/** Cells along a side of the picture, at most. */
const most = 256
const sizes = [8, 16, 32, 64, 128, 256, 512]

/** Which blocks of a mask are computed, and what other sizes would compute. */
export function mapOf(asked: MapAsked): MapAnswer {
  const { mask, tokens, blockQ, blockK } = asked
  const square = { tq: tokens, tk: tokens }
  // A power of two of at most 8, so that every size of blocks is so many cells.
  const cell = 2 ** Math.max(0, Math.ceil(Math.log2(tokens / most)))
  const { rows: side, blocks: cells } = blockMap(mask, { ...square, blockQ: cell, blockK: cell })
  return {
    asked,
    map: blockMap(mask, { ...square, blockQ, blockK }),
    fine: { side, cells },
    sizes: sizes
      .filter((size) => size <= tokens)
      .map((size) => ({ size, computed: computedShare(cells, side, cell, size, tokens) })),
  }
}

/** The share of all pairs in blocks that have a cell in which something attends: `1 - blockMap(...).saved`. */
function computedShare(cells: Uint8Array, side: number, cell: number, size: number, tokens: number): number {
  const step = size / cell
  const blocks = Math.ceil(side / step)
  const seen = new Uint8Array(blocks * blocks)
  for (let i = 0; i < side; i++) {
    for (let j = 0; j < side; j++) {
      if (cells[i * side + j] !== 0) seen[Math.floor(i / step) * blocks + Math.floor(j / step)] = 1
    }
  }
  const length = (block: number): number => Math.min(tokens, (block + 1) * size) - block * size
  let computed = 0
  seen.forEach((is, block) => {
    if (is === 1) computed += length(Math.floor(block / blocks)) * length(block % blocks)
  })
  return computed / tokens ** 2
}
