import { type Arena, at, block } from './arena.js'

/**
 * Running sums of bfloat16 codes from +0, block by block, each addition rounded to `accumulate`; codes go to `out`
 * where there is one. Returns the last sum.
 */
export function cumsumBlocks(
  arena: Arena,
  accumulate: 'bfloat16' | 'float32',
  codes: Uint16Array,
  out: Uint16Array | undefined,
): number {
  const { leftCodes, outCodes } = arena
  const kernel = accumulate === 'bfloat16' ? arena.kernels.cumsum : arena.kernels.cumsumFloat32
  let sum = 0
  for (let start = 0; start < codes.length; start += block) {
    const count = Math.min(block, codes.length - start)
    leftCodes.set(codes.subarray(start, start + count))
    sum = kernel(at.left, at.out, count, sum)
    out?.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
  return sum
}
