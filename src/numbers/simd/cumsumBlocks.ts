import { type Arena, at, block, ofArena } from './arena.js'
import { sumKernels } from './sum.wasm.js'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  leftCodes: new Uint16Array(buffer, at.left, block),
  outCodes: new Uint16Array(buffer, at.out, block),
}))

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
  const { leftCodes, outCodes } = views(arena)
  const kernels = sumKernels(arena)
  const kernel = accumulate === 'bfloat16' ? kernels.cumsum : kernels.cumsumFloat32
  let sum = 0
  for (let start = 0; start < codes.length; start += block) {
    const count = Math.min(block, codes.length - start)
    leftCodes.set(codes.subarray(start, start + count))
    sum = kernel(at.left, at.out, count, sum)
    out?.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
  return sum
}
