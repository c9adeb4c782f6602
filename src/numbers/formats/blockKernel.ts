import { drawElements, encodeElements } from './blockElements.js'
import type { ElementFacts } from './blockFormats.js'

/** Answers the largest magnitudes of some blocks (float32 bits) with what their values are multiplied by. */
export type BlockFactors = (firstBlock: number, amaxBits: Uint32Array, factors: Float32Array) => void

/**
 * What runs over the values of whole blocks: finds each block's largest magnitude, asks for its factor, and, where there
 * are codes to write, encodes the products, each rounded to float32 first: nearest even, or at random by the word of each value,
 * saturating. A block that holds an Inf or a NaN may get any codes.
 */
export type BlockKernel = (
  values: Float32Array,
  blockSize: number,
  element: ElementFacts,
  factorsOf: BlockFactors,
  codes: Uint8Array | undefined,
  words?: Uint32Array,
) => void

/** Values worked on at a time: few enough to stay near, many against a call. */
const piece = 4096
let usual: BlockKernel | undefined

/** The JavaScript implementation of the WebAssembly kernels. */
export const plainBlocks: BlockKernel = (values, blockSize, ...rest) => {
  usual ??= open(piece)
  const kernel = blockSize <= piece ? usual : open(blockSize)
  kernel(values, blockSize, ...rest)
}

// Typed arrays that a function makes once and never replaces cost no checks of their kind and length. Nothing in them
// outlives a call.
function open(size: number): BlockKernel {
  const held = new Float32Array(size)
  const words = new Int32Array(held.buffer)
  const amaxBits = new Uint32Array(size)
  const factors = new Float32Array(size)

  /** Float32 bits of the largest magnitude; any NaN exceeds infinity. */
  function largestMagnitude(from: number, to: number): number {
    let largest = 0
    for (let i = from; i < to; i++) {
      // max(largest, magnitude) without a branch, which would be taken at random.
      const lead = largest - (words[i]! & 0x7fffffff)
      largest -= lead & (lead >> 31)
    }
    return largest
  }

  function scale(from: number, to: number, factor: number): void {
    for (let i = from; i < to; i++) held[i] = held[i]! * factor
  }

  return (values, blockSize, element, factorsOf, codes, drawn) => {
    const step = Math.floor(size / blockSize) * blockSize
    for (let start = 0; start < values.length; start += step) {
      const count = Math.min(step, values.length - start)
      const blocks = count / blockSize
      held.set(values.subarray(start, start + count))
      for (let i = 0; i < blocks; i++) amaxBits[i] = largestMagnitude(i * blockSize, (i + 1) * blockSize)
      factorsOf(start / blockSize, amaxBits.subarray(0, blocks), factors)
      if (!codes) continue
      for (let i = 0; i < blocks; i++) scale(i * blockSize, (i + 1) * blockSize, factors[i]!)
      const [scaled, to] = [held.subarray(0, count), codes.subarray(start, start + count)]
      if (drawn) drawElements(scaled, element, drawn.subarray(start, start + count), to)
      else encodeElements(scaled, element.name, to)
    }
  }
}
