import { type Arena, at, block } from './arena.js'
import type { Conversion } from './instance.js'

type Elements = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array

/**
 * Converts elements block by block, from and to arrays of the types that the name says: to integers truncated and saturated, NaN
 * as 0; to bool whether a number is not 0; to float16 rounded once, NaN keeping its sign. Codes and bool are Uint16Array and
 * Uint8Array.
 */
export function convertBlocks(arena: Arena, name: Conversion, from: Elements, out: Elements): void {
  const kernel = arena.kernels[name]
  const source = words(from)
  const target = words(out)
  const operand = operandOf(arena, source)
  const result = resultOf(arena, target)
  for (let start = 0; start < source.length; start += block) {
    const count = Math.min(block, source.length - start)
    operand.set(count === source.length ? source : source.subarray(start, start + count))
    kernel(at.left, at.result, count)
    target.set(count === block ? result : result.subarray(0, count), start)
  }
}

/** uint32 as int32: arrays of two types are copied element by element. */
function words(values: Elements): Exclude<Elements, Uint32Array> {
  if (!(values instanceof Uint32Array)) return values
  return new Int32Array(values.buffer, values.byteOffset, values.length)
}

function operandOf(arena: Arena, values: Elements): Elements {
  if (values instanceof Float64Array) return arena.leftFloat64
  if (values instanceof Float32Array) return arena.leftFloat32
  return values instanceof Uint16Array ? arena.leftCodes : arena.leftInt32
}

function resultOf(arena: Arena, values: Elements): Elements {
  if (values instanceof Float32Array) return arena.result
  if (values instanceof Uint16Array) return arena.resultCodes
  return values instanceof Uint8Array ? arena.resultBytes : arena.resultInt32
}
