import { type Arena, at, block } from './arena.js'

/** Elementwise arithmetic of codes. */
export type BinaryKernel = 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max'

/** a op b over bfloat16 or float16 codes, block by block; an operand of length 1 serves every element. */
export function arithmeticBlocks(
  arena: Arena,
  op: BinaryKernel,
  a: Uint16Array,
  b: Uint16Array,
  out: Uint16Array,
  format: 'bfloat16' | 'float16' = 'bfloat16',
): void {
  const { leftCodes, rightCodes, outCodes } = arena
  const kernel = arena.kernels[format === 'float16' ? (`${op}Half` as const) : op]
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
