import { type Arena, at, block } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/** The element format of blocks: 'int8', or a float format with the IEEE bias, without infinities in range. */
export interface BlockElementShape {
  readonly name: string
  readonly bits: number
  readonly mantissaBits: number
  readonly max: number
}

// The second operand's place holds the largest magnitudes, then the factors, of blocks of 16 values and more.
const most = block / 16
const factorsAt = at.right + 4 * most

// Random words, where a matrix product would lie.
const { first: wordsAt } = at

/** Whether `scaleBlocks` takes blocks of this size. */
export function scalesBlocks(blockSize: number): boolean {
  return blockSize % 16 === 0 && blockSize <= block
}

/**
 * The codes of values in blocks: for each block its largest magnitude's float32 bits are asked a factor, and its values
 * times the factor rounded to nearest even, or at random by a word for each, saturating. Without `codes` it only asks. A block with
 * a NaN gets any codes.
 */
export function scaleBlocks(
  arena: Arena,
  values: Float32Array,
  blockSize: number,
  element: BlockElementShape,
  factorsOf: (firstBlock: number, amaxBits: Uint32Array, factors: Float32Array) => void,
  codes: Uint8Array | undefined,
  words?: Uint32Array,
): void {
  const kernels = elementwiseKernels(arena)
  const { buffer } = arena
  const staged = new Float32Array(buffer, at.left, block)
  const { name, bits, mantissaBits, max } = element
  const results = new Uint8Array(buffer, at.out, block)
  const step = Math.floor(block / blockSize) * blockSize
  for (let start = 0; start < values.length; start += step) {
    const count = Math.min(step, values.length - start)
    const blocks = count / blockSize
    staged.set(values.subarray(start, start + count))
    kernels.largestOfBlocks(at.left, at.right, blocks, blockSize)
    factorsOf(
      start / blockSize,
      new Uint32Array(buffer, at.right, blocks),
      new Float32Array(buffer, factorsAt, blocks),
    )
    if (!codes) continue
    if (words) {
      new Uint32Array(buffer, wordsAt, block).set(words.subarray(start, start + count))
      if (name === 'int8') {
        kernels.drawInt8Elements(at.left, at.out, factorsAt, wordsAt, blocks, blockSize)
      } else {
        const shape = [bits, mantissaBits, max] as const
        kernels.drawElements(at.left, at.out, factorsAt, wordsAt, blocks, blockSize, ...shape)
      }
    } else if (name === 'int8') {
      kernels.encodeInt8Elements(at.left, at.out, factorsAt, blocks, blockSize)
    } else {
      kernels.encodeElements(at.left, at.out, factorsAt, blocks, blockSize, bits, mantissaBits, max)
    }
    codes.set(count === block ? results : results.subarray(0, count), start)
  }
}

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
