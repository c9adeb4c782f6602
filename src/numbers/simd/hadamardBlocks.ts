import { type Arena, at, block } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/** How blocks are transformed. */
export interface HadamardBlocks {
  /** A power of 4, at most `longestHadamard`. */
  readonly size: number
  /** Numbers 1 and -1, one for each place of a block. */
  readonly signs: readonly number[] | undefined
  /** Whether the signs come after the transform. */
  readonly inverse: boolean
  /** How far numbers of a block may be apart for its sums to be exact in float64. */
  readonly ratio: number
  /** Whether results are rounded to odd, for one more rounding to fewer bits, instead of to nearest even. */
  readonly toOdd: boolean
}

/** The longest block that has room. */
export const longestHadamard = 4096

// All but the values are where a matrix product would lie: a block in float64, its signs, and a flag for each block.
const { left: valuesAt, first: workAt, second: signsAt, result: flagsAt } = at

/**
 * Hadamard transform of blocks over the root of their size, in place: additions in float64, then once to float32. Returns which blocks
 * have numbers further apart than the ratio, whose sums may have been rounded.
 */
export function hadamardBlocks(arena: Arena, values: Float32Array, how: HadamardBlocks): number[] {
  const { size, signs, inverse, ratio, toOdd } = how
  const kernels = elementwiseKernels(arena)
  const { buffer } = arena
  const staged = new Float32Array(buffer, valuesAt, block)
  new Float64Array(buffer, signsAt, size).set(signs ?? new Float64Array(size).fill(1))
  const scale = 1 / Math.sqrt(size)
  const wide: number[] = []
  for (let start = 0; start < values.length; start += block) {
    const part = values.subarray(start, start + block)
    const blocks = part.length / size
    staged.set(part)
    const places = [valuesAt, workAt, signsAt, flagsAt] as const
    kernels.hadamardBlocks(...places, blocks, size, Number(inverse), ratio, scale, Number(toOdd))
    part.set(part.length === block ? staged : staged.subarray(0, part.length))
    const flags = new Int32Array(buffer, flagsAt, blocks)
    for (let i = 0; i < blocks; i++) if (flags[i] !== 0) wide.push(start / size + i)
  }
  return wide
}
