import { type Arena, at, block, ofArena } from './arena.js'
import type { BinaryKernel } from './arithmeticBlocks.js'
import { elementwiseKernels } from './elementwise.wasm.js'
import { type FunctionKernels, functionKernels } from './function.wasm.js'

/** The unary functions of float32 that have a kernel. */
export type Float32Unary = keyof FunctionKernels extends `${infer Name}Float32` ? Name : never

/** The operations of two float32 operands that have a kernel; the last four give bytes. */
export type Float32Binary = BinaryKernel | 'equal' | 'notEqual' | 'less' | 'lessEqual'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  first: new Float32Array(buffer, at.first, block),
  second: new Float32Array(buffer, at.second, block),
  result: new Float32Array(buffer, at.result, block),
  firstWords: new Uint32Array(buffer, at.first, block),
  secondWords: new Uint32Array(buffer, at.second, block),
  resultWords: new Uint32Array(buffer, at.result, block),
  bytes: new Uint8Array(buffer, at.result, block),
  condition: new Uint8Array(buffer, at.condition, block),
}))

/** An array, where its operand starts, and whether it advances: with step 0 one element serves all. */
export type Operand<T> = readonly [values: T, start: number, step: number]

/** A unary function of float32 numbers, block by block, correctly rounded; NaN results are canonical. */
export function float32UnaryBlocks(
  arena: Arena,
  name: Float32Unary,
  from: Float32Array,
  out: Float32Array,
): void {
  const { first, result } = views(arena)
  const kernel = functionKernels(arena)[`${name}Float32`]
  for (let start = 0; start < from.length; start += block) {
    const count = Math.min(block, from.length - start)
    first.set(part(from, start, count))
    kernel(at.first, at.result, count)
    out.set(part(result, 0, count), start)
  }
}

/**
 * a op b of n float32 numbers, block by block, into `out` from `to` on: numbers, or bytes 0 and 1 of a comparison. NaN
 * results are canonical.
 */
export function float32BinaryBlocks(
  arena: Arena,
  name: Float32Binary,
  [a, i, di]: Operand<Float32Array>,
  [b, j, dj]: Operand<Float32Array>,
  out: Float32Array | Uint8Array,
  to: number,
  n: number,
): void {
  const { first, second, result: numbers, bytes } = views(arena)
  const kernel = elementwiseKernels(arena)[`${name}Float32`]
  const result = out instanceof Uint8Array ? bytes : numbers
  if (di === 0) first[0] = a[i]!
  if (dj === 0) second[0] = b[j]!
  for (let start = 0; start < n; start += block) {
    const count = Math.min(block, n - start)
    if (di) first.set(part(a, i + start, count))
    if (dj) second.set(part(b, j + start, count))
    kernel(at.first, at.second, at.result, count, di, dj)
    out.set(part(result, 0, count), to + start)
  }
}

/** The words of a where the byte of the condition is not 0, else those of b: n of them into `out` from `to` on. */
export function whereBlocks(
  arena: Arena,
  condition: Uint8Array,
  from: number,
  [a, i, di]: Operand<Uint32Array>,
  [b, j, dj]: Operand<Uint32Array>,
  out: Uint32Array,
  to: number,
  n: number,
): void {
  const { firstWords: first, secondWords: second, resultWords: result, condition: chosen } = views(arena)
  const { where32 } = elementwiseKernels(arena)
  if (di === 0) first[0] = a[i]!
  if (dj === 0) second[0] = b[j]!
  for (let start = 0; start < n; start += block) {
    const count = Math.min(block, n - start)
    chosen.set(part(condition, from + start, count))
    if (di) first.set(part(a, i + start, count))
    if (dj) second.set(part(b, j + start, count))
    where32(at.condition, at.first, at.second, at.result, count, di, dj)
    out.set(part(result, 0, count), to + start)
  }
}

function part<T extends Float32Array | Uint8Array | Uint32Array>(values: T, start: number, n: number): T {
  return n === values.length ? values : (values.subarray(start, start + n) as T)
}
