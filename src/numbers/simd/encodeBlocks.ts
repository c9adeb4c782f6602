import { type Arena, at, block, ofArena } from './arena.js'
import { encodeKernels } from './encode.wasm.js'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  narrow: new Float32Array(buffer, at.left, block),
  wide: new Float64Array(buffer, at.left, block),
  out: new Uint16Array(buffer, at.out, block),
}))

/** Rounds float32 or float64 values to bfloat16 codes, block by block. */
export function encodeBlocks(arena: Arena, values: Float32Array | Float64Array, out: Uint16Array): void {
  const { narrow, wide, out: codes } = views(arena)
  const isWide = values instanceof Float64Array
  const operand = isWide ? wide : narrow
  const { encodeFloat32, encodeFloat64 } = encodeKernels(arena)
  const kernel = isWide ? encodeFloat64 : encodeFloat32
  for (let start = 0; start < values.length; start += block) {
    const count = Math.min(block, values.length - start)
    operand.set(values.subarray(start, start + count))
    kernel(at.left, at.out, count)
    out.set(count === block ? codes : codes.subarray(0, count), start)
  }
}
