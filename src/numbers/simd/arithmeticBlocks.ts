import { type Arena, at, block, ofArena } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/** Elementwise arithmetic of codes. */
export type BinaryKernel = 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  leftCodes: new Uint16Array(buffer, at.left, block),
  rightCodes: new Uint16Array(buffer, at.right, block),
  outCodes: new Uint16Array(buffer, at.out, block),
}))

/** a op b over bfloat16 or float16 codes, block by block; an operand of length 1 serves every element. */
export function arithmeticBlocks(
  arena: Arena,
  op: BinaryKernel,
  a: Uint16Array,
  b: Uint16Array,
  out: Uint16Array,
  format: 'bfloat16' | 'float16' = 'bfloat16',
): void {
  const { leftCodes, rightCodes, outCodes } = views(arena)
  const kernel = elementwiseKernels(arena)[format === 'float16' ? (`${op}Half` as const) : op]
  const { length } = out
  const fixedA = a.length === 1
  const fixedB = b.length === 1
  if (fixedA) leftCodes.fill(a[0]!, 0, Math.min(block, length))
  if (fixedB) rightCodes.fill(b[0]!, 0, Math.min(block, length))
  for (let start = 0; start < length; start += block) {
    const count = Math.min(block, length - start)
    if (!fixedA) leftCodes.set(a.subarray(start, start + count))
    if (!fixedB) rightCodes.set(b.subarray(start, start + count))
    kernel(at.left, at.right, at.out, count)
    out.set(count === block ? outCodes : outCodes.subarray(0, count), start)
  }
}
