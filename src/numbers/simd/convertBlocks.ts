import { type Arena, at, block, ofArena } from './arena.js'
import { type ElementwiseKernels, elementwiseKernels } from './elementwise.wasm.js'

/** Conversions that have a kernel, `to` of `from`. */
export type Conversion = keyof ElementwiseKernels & `${'float' | 'int' | 'uint' | 'bool'}${string}Of${string}`

type Elements = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array

const viewsAt = (from: number) =>
  ofArena(({ buffer }) => ({
    codes: new Uint16Array(buffer, from, block),
    float32: new Float32Array(buffer, from, block),
    float64: new Float64Array(buffer, from, block),
    int32: new Int32Array(buffer, from, block),
    bytes: new Uint8Array(buffer, from, block),
  }))

const operands = /*#__PURE__*/ viewsAt(at.left)
const results = /*#__PURE__*/ viewsAt(at.result)

/**
 * Converts elements block by block, from and to arrays of the types that the name says: to integers truncated and saturated, NaN
 * as 0; to bool whether a number is not 0; to float16 rounded once, NaN keeping its sign. Codes and bool are Uint16Array and
 * Uint8Array.
 */
export function convertBlocks(arena: Arena, name: Conversion, from: Elements, out: Elements): void {
  const kernel = elementwiseKernels(arena)[name]
  const source = words(from)
  const target = words(out)
  const operand = viewOf(operands(arena), source)
  const result = viewOf(results(arena), target)
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

function viewOf(views: ReturnType<typeof operands>, values: Elements): Elements {
  if (values instanceof Float64Array) return views.float64
  if (values instanceof Float32Array) return views.float32
  if (values instanceof Uint16Array) return views.codes
  return values instanceof Uint8Array ? views.bytes : views.int32
}
