import { arena, type Engine, encodeBlocks } from '../numbers/simd/index.js'
import { codeOfBits, codeOfFloat64 } from './float32Bits.js'
import { outFor, settled } from './outArray.js'

/**
 * Rounds an array of float32 or float64 values to bfloat16 codes, each directly and once; `formats.encode` rounds one number
 * to any format.
 *
 * Shape     any length; `out` as long.
 * Dtype     Float32Array or Float64Array -> Uint16Array.
 * Rounding  nearest even.
 * Special   overflow gives Inf; a NaN keeps its sign and loses its payload (0x7FC0, 0xFFC0).
 * Error     half an ulp of bfloat16.
 * Throws    TypeError for other arrays; RangeError for `out` of another length.
 * Cost      one pass; allocates the result only, not even that with `out`.
 * Source    none
 *
 * @example encode(Float64Array.of(1 + 2 ** -8 + 2 ** -40)) // [0x3f81]
 */
export function encode(
  values: Float32Array | Float64Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  const wide = values instanceof Float64Array
  if (!wide && !(values instanceof Float32Array)) {
    const kind = Object.prototype.toString.call(values)
    throw new TypeError(`encode: values are neither Float32Array nor Float64Array [${kind}]`)
  }
  const result = outFor('encode', values.length, out)
  const source = settled(values, result)
  const simd = arena(engine)
  if (simd) encodeBlocks(simd, source, result)
  else if (source instanceof Float64Array) encodeFloat64(source, result)
  else encodeFloat32(source, result)
  return result
}

function encodeFloat32(values: Float32Array, out: Uint16Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  for (let i = 0; i < words.length; i++) out[i] = codeOfBits(words[i]!)
}

function encodeFloat64(values: Float64Array, out: Uint16Array): void {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  for (let i = 0; i < values.length; i++) out[i] = codeOfFloat64(values[i]!, halves[2 * i + 1]!)
}
