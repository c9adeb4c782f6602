import { exactValue } from './decodeExact.js'
import { checkType, type P3109Type } from './p3109Type.js'

/**
 * The value of a code as a JavaScript number, exact.
 *
 * Throws  RangeError for a type whose values are no float64 (`values` is 'none'), and for what is no code.
 *
 * @example decodeP3109(0x48, p3109Type(8, 4)) // 2
 * @example decodeP3109(1, p3109Type(12, 1)) === 2 ** -1023 // true
 * @example decodeP3109(1, p3109Type(16, 1)) // throws decodeP3109: values outside float64's, decodeExact gives them [binary16p1se]
 */
export function decodeP3109(code: number, type: P3109Type): number {
  checkValues('decodeP3109', type)
  return valueOf('decodeP3109', code, type)
}

function checkValues(op: string, type: P3109Type): void {
  checkType(op, type)
  if (type.values === 'none') {
    throw new RangeError(`${op}: values outside float64's, decodeExact gives them [${type.name}]`)
  }
}

function valueOf(op: string, code: number, type: P3109Type): number {
  const { kind, sign, numerator, exponent } = exactValue(op, code, type)
  if (kind === 'nan') return Number.NaN
  if (kind === 'infinity') return sign * Infinity
  // +0, not -0: P3109 has one zero.
  return sign === 0 ? 0 : sign * Number(numerator) * 2 ** exponent
}

/**
 * The value of every code, in code order: a Float32Array where every value is a float32, else a Float64Array.
 *
 * Throws  RangeError for a type whose values are no float64.
 *
 * @example valueTable(p3109Type(4, 2, { infinity: false })).slice(0, 8).join() // 0,0.25,0.5,0.75,1,1.5,2,3
 * @example valueTable(p3109Type(12, 1)) instanceof Float64Array // true
 */
export function valueTable(type: P3109Type): Float32Array | Float64Array {
  checkValues('valueTable', type)
  const length = 2 ** type.bits
  const table = type.values === 'float32' ? new Float32Array(length) : new Float64Array(length)
  for (let code = 0; code < length; code++) table[code] = valueOf('valueTable', code, type)
  return table
}
