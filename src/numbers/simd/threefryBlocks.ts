import { type Arena, at, block } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/** Fills `out` with the words of a key for counters 0, 1, ...: those of `random.bits`. */
export function threefryBlocks(arena: Arena, key: ArrayLike<number>, out: Uint32Array): void {
  const kernels = elementwiseKernels(arena)
  const words = new Uint32Array(arena.buffer, at.first, block)
  for (let start = 0; start < out.length; start += block) {
    const count = Math.min(block, out.length - start)
    kernels.threefryWords(at.first, (count + 3) & ~3, key[0]!, key[1]!, start)
    out.set(count === block ? words : words.subarray(0, count), start)
  }
}
