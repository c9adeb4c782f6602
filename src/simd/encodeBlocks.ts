import { type Arena, at, block } from './arena.js'

/** Rounds float32 or float64 values to bfloat16 codes, block by block. */
export function encodeBlocks(arena: Arena, values: Float32Array | Float64Array, out: Uint16Array): void {
  const { kernels, outCodes } = arena
  const wide = values instanceof Float64Array
  const operand = wide ? arena.leftFloat64 : arena.leftFloat32
  for (let start = 0; start < values.length; start += block) {
    const count = Math.min(block, values.length - start)
    operand.set(values.subarray(start, start + count))
    if (wide) kernels.encodeFloat64(at.left, at.out, count)
    else kernels.encodeFloat32(at.left, at.out, count)
    out.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
}
