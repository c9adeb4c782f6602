import { type FormatName, format as formatOf } from './catalogue.js'
import { nanCode } from './encode.js'
import { encoder } from './encoder.js'
import type { FloatFormat } from './format.js'
import type { EncodeOptions } from './rounding.js'

/**
 * The codes of an array of numbers, each rounded once.
 *
 * Shape     as long as `values`; `out` too, a Uint8Array for formats up to 8 bits, else a Uint16Array.
 * Rounding, Special  as `encode`, but a NaN keeps its sign where the format can hold one.
 * Cost      nearest even: about 4 ns per value.
 *
 * @example encodeArray(Float32Array.of(1, -2), 'bfloat16').join() // 16256,49152
 */
export function encodeArray(
  values: Float32Array | Float64Array,
  format: FormatName | FloatFormat,
  options?: EncodeOptions,
  out?: Uint8Array | Uint16Array,
): Uint8Array | Uint16Array {
  const record = formatOf(format)
  if (!(values instanceof Float32Array) && !(values instanceof Float64Array)) {
    throw new TypeError(`encodeArray: values are no Float32Array or Float64Array [${typeof values}]`)
  }
  const codes = codeArray(record, values.length, out)
  const code = encoder(record, options)
  // A NaN's sign can only be read from its bits.
  const signs = new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)
  const stride = values.BYTES_PER_ELEMENT / 4
  const negativeNaN = nanCode(true, record)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    const encoded = code(value)
    codes[i] = Number.isNaN(value) && signs[stride * i + stride - 1]! >>> 31 === 1 ? negativeNaN : encoded
  }
  return codes
}

function codeArray(
  format: FloatFormat,
  length: number,
  out: Uint8Array | Uint16Array | undefined,
): Uint8Array | Uint16Array {
  const Codes = format.bits <= 8 ? Uint8Array : Uint16Array
  if (out === undefined) return new Codes(length)
  if (!(out instanceof Codes)) {
    throw new TypeError(`encodeArray: out is no ${Codes.name}, which ${format.name} needs [${typeof out}]`)
  }
  if (out.length !== length) {
    throw new RangeError(`encodeArray: lengths differ [values ${length}, out ${out.length}]`)
  }
  return out
}
