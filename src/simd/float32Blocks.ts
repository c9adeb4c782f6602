import { type Arena, at, block } from './arena.js'
import type { Float32Binary, Float32Unary } from './instance.js'

/** An array, where its operand starts, and whether it advances: with step 0 one element serves all. */
export type Operand<T> = readonly [values: T, start: number, step: number]

/** A unary function of float32 numbers, block by block, correctly rounded; NaN results are canonical. */
export function float32UnaryBlocks(
  arena: Arena,
  name: Float32Unary,
  from: Float32Array,
  out: Float32Array,
): void {
  const { first, result } = arena
  const kernel = arena.kernels[`${name}Float32`]
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
  const { first, second } = arena
  const kernel = arena.kernels[`${name}Float32`]
  const result = out instanceof Uint8Array ? arena.resultBytes : arena.result
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
  const { firstWords: first, secondWords: second, resultWords: result } = arena
  if (di === 0) first[0] = a[i]!
  if (dj === 0) second[0] = b[j]!
  for (let start = 0; start < n; start += block) {
    const count = Math.min(block, n - start)
    arena.condition.set(part(condition, from + start, count))
    if (di) first.set(part(a, i + start, count))
    if (dj) second.set(part(b, j + start, count))
    arena.kernels.where32(at.condition, at.first, at.second, at.result, count, di, dj)
    out.set(part(result, 0, count), to + start)
  }
}

function part<T extends Float32Array | Uint8Array | Uint32Array>(values: T, start: number, n: number): T {
  return n === values.length ? values : (values.subarray(start, start + n) as T)
}
