import { type Arena, at, block, ofArena } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  leftCodes: new Uint16Array(buffer, at.left, block),
  outCodes: new Uint16Array(buffer, at.out, block),
  held: new Uint16Array(buffer, at.table, 65536),
}))

/** The table's entry for each 16-bit code, block by block. Copies the table in first: for long arrays. */
export function mapBlocks(arena: Arena, table: Uint16Array, codes: Uint16Array, out: Uint16Array): void {
  const { leftCodes, outCodes, held } = views(arena)
  const kernels = elementwiseKernels(arena)
  held.set(table)
  for (let start = 0; start < codes.length; start += block) {
    const count = Math.min(block, codes.length - start)
    leftCodes.set(codes.subarray(start, start + count))
    kernels.map(at.left, at.out, at.table, count)
    out.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
}
