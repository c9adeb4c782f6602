import { exactValue } from './decodeExact.js'
import { compare } from './exact.js'
import { type P3109Value, valueOf } from './operate.js'
import type { P3109Type } from './p3109Type.js'

/** What a code means, under the draft's names. */
export type P3109Class =
  | 'ClsNaN'
  | 'ClsNegativeInfinity'
  | 'ClsNegativeNormal'
  | 'ClsNegativeSubnormal'
  | 'ClsZero'
  | 'ClsPositiveSubnormal'
  | 'ClsPositiveNormal'
  | 'ClsPositiveInfinity'

/**
 * The class of a code.
 *
 * Source  IEEE P3109/D1, section 4.13.1.
 *
 * @example classify(0x7f, p3109Type(8, 4)) // ClsPositiveInfinity
 * @example classify(0x81, p3109Type(8, 4)) // ClsNegativeSubnormal
 */
export function classify(code: number, type: P3109Type): P3109Class {
  const { kind, sign } = exactValue('classify', code, type)
  if (kind === 'nan') return 'ClsNaN'
  if (sign === 0) return 'ClsZero'
  const half = sign < 0 ? 'Negative' : 'Positive'
  if (kind === 'infinity') return `Cls${half}Infinity`
  const size = sign < 0 ? code - type.nan : code
  return size < type.minNormal ? `Cls${half}Subnormal` : `Cls${half}Normal`
}

/**
 * Where one value lies to another: -1 below it, 0 at it, 1 above it, NaN where one is NaN. The five comparisons of the draft
 * are its answers: CompareLess is -1, CompareLessEqual -1 or 0.
 *
 * Source  IEEE P3109/D1, section 4.12.
 *
 * @example compareValues([0x40, p3109Type(8, 4)], [0x40, p3109Type(8, 3)]) // 0
 * @example compareValues([0x80, p3109Type(8, 4)], [0, p3109Type(8, 4)]) // NaN
 */
export function compareValues(x: P3109Value, y: P3109Value): number {
  const [a, b] = [valueOf('compareValues', x), valueOf('compareValues', y)]
  // No negative zero.
  return a.kind === 'nan' || b.kind === 'nan' ? Number.NaN : compare(a, b) + 0
}

/**
 * Whether a value comes before another or is equal to it, NaN before all numbers: a total order of every type's values.
 *
 * Source  IEEE P3109/D1, section 4.12.1.
 *
 * @example totalOrder([0x80, p3109Type(8, 4)], [0xff, p3109Type(8, 4)]) // true
 */
export function totalOrder(x: P3109Value, y: P3109Value): boolean {
  const [a, b] = [valueOf('totalOrder', x), valueOf('totalOrder', y)]
  return a.kind === 'nan' || (b.kind !== 'nan' && compare(a, b) <= 0)
}

/**
 * The code of the next larger value, infinity among them; NaN's code where there is none, which differs from IEEE 754.
 *
 * Source  IEEE P3109/D1, section 4.16.
 *
 * @example nextGreaterThan(0x81, p3109Type(8, 4)) // 0
 * @example nextGreaterThan(0x7f, p3109Type(8, 4)) // 0x80
 */
export function nextGreaterThan(code: number, type: P3109Type): number {
  return stepped('nextGreaterThan', code, 1, type)
}

/**
 * The code of the next smaller value; NaN's code where there is none.
 *
 * @example nextLessThan(0, p3109Type(8, 4)) // 0x81
 * @example nextLessThan(0, p3109Type(8, 4, { signed: false })) // 0xff
 */
export function nextLessThan(code: number, type: P3109Type): number {
  return stepped('nextLessThan', code, -1, type)
}

function stepped(op: string, code: number, step: 1 | -1, type: P3109Type): number {
  if (exactValue(op, code, type).kind === 'nan') return type.nan
  const most = type.positiveInfinity ?? type.maxFinite
  const place = (type.signed && code > type.nan ? type.nan - code : code) + step
  if (place > most || place < (type.signed ? -most : 0)) return type.nan
  return place < 0 ? type.nan - place : place
}
