import { type Arena, at, block } from './arena.js'

/** The table's entry for each 16-bit code, block by block. Copies the table in first: for long arrays. */
export function mapBlocks(arena: Arena, table: Uint16Array, codes: Uint16Array, out: Uint16Array): void {
  const { kernels, leftCodes, outCodes } = arena
  arena.table.set(table)
  for (let start = 0; start < codes.length; start += block) {
    const count = Math.min(block, codes.length - start)
    leftCodes.set(codes.subarray(start, start + count))
    kernels.map(at.left, at.out, at.table, count)
    out.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
}
