import { checkArray } from '../../base/options/index.js'
import { type FormatName, format as formatOf } from './catalogue.js'
import { checkCode } from './checkCode.js'
import { decodeByTable } from './decodeLong.js'
import { type FloatFormat, magnitudeValue } from './format.js'

/**
 * The value of a code, exact.
 *
 * Special   NaN codes give NaN, whatever their sign and payload.
 *
 * @example decode(0x3f81, 'bfloat16') // 1.0078125
 * @example decode(0xfe, 'float8_e4m3fn') // -448
 */
export function decode(code: number, format: FormatName | FloatFormat): number {
  const record = formatOf(format)
  const { signMask, magnitudeMask } = record
  checkCode('decode', code, record)
  if (isNaNCode(code, record)) return Number.NaN
  const magnitude = code & magnitudeMask
  const value = magnitude === record.infinityCode ? Infinity : magnitudeValue(magnitude, record)
  return (code & signMask) === 0 ? value : -value
}

/** Whether a code of the format means NaN. */
export function isNaNCode(code: number, format: FloatFormat): boolean {
  if (format.nan === 'none') return false
  if (format.nan === 'negative-zero') return code === format.canonicalNaN
  return (code & format.magnitudeMask) > (format.infinityCode ?? format.maxCode)
}

const bitTables = new WeakMap<FloatFormat, Uint32Array>()

// Bits, not floats: copying a NaN as a float may change its sign.
function decodedBits(format: FloatFormat): Uint32Array {
  const known = bitTables.get(format)
  if (known) return known
  const values = new Float32Array(2 ** format.bits)
  const table = new Uint32Array(values.buffer)
  for (let code = 0; code < table.length; code++) {
    values[code] = decode(code, format)
    if (isNaNCode(code, format)) {
      const negative = format.nan !== 'negative-zero' && (code & format.signMask) !== 0
      table[code] = negative ? 0xffc00000 : 0x7fc00000
    }
  }
  bitTables.set(format, table)
  return table
}

const tables = new WeakMap<FloatFormat, Float32Array>()

/**
 * The value of every code, in code order. Built at the first call and kept: treat it as read-only.
 *
 * @example decodeTable('float4_e2m1fn').slice(0, 8).join() // 0,0.5,1,1.5,2,3,4,6
 */
export function decodeTable(format: FormatName | FloatFormat): Float32Array {
  const record = formatOf(format)
  const known = tables.get(record)
  if (known) return known
  const table = new Float32Array(decodedBits(record).buffer)
  tables.set(record, table)
  return table
}

/**
 * The values of codes, exact.
 *
 * Shape     as long as `codes`; `out` too.
 * Special   a NaN keeps its sign and loses its payload.
 * Cost      from 2,048 codes on, about 0.4 ns per code.
 *
 * @example decodeArray(Uint8Array.of(0x38, 0xb8), 'float8_e4m3fn').join() // 1,-1
 */
export function decodeArray(
  codes: Uint8Array | Uint16Array,
  format: FormatName | FloatFormat,
  out: Float32Array = emptyFor('decodeArray', codes),
): Float32Array {
  const record = formatOf(format)
  if (!(out instanceof Float32Array)) {
    throw new TypeError(`decodeArray: out is no Float32Array [${typeof out}]`)
  }
  if (out.length !== codes.length) {
    throw new RangeError(`decodeArray: lengths differ [codes ${codes.length}, out ${out.length}]`)
  }
  const table = decodedBits(record)
  const source = codes.buffer === out.buffer ? codes.slice() : codes
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length)
  if (source.length >= long) {
    if (!decodeByTable(source, table, bits)) for (const code of source) checkCode('decodeArray', code, record)
    return out
  }
  for (let i = 0; i < source.length; i++) {
    const decoded = table[source[i]!]
    if (decoded === undefined) checkCode('decodeArray', source[i]!, record)
    else bits[i] = decoded
  }
  return out
}

function emptyFor(op: string, codes: Uint8Array | Uint16Array): Float32Array {
  checkArray(op, 'codes', codes)
  return new Float32Array(codes.length)
}

/** Shorter arrays do not pay for copying. */
const long = 2048
