import {
  decodeTable,
  encoder,
  type FloatFormat,
  type FormatName,
  format as formatOf,
} from '../formats/index.js'
import { roundedToOdd } from './decide.js'
import { lgamma } from './lgamma.js'
import { type UnaryName, unary } from './unary.js'

/**
 * Functions whose float64 value rounds as the real one does: the exact ones, and 1 / x and sqrt, which float64
 * rounds correctly and which keep 2^-34 away from every midpoint of 17 bits unless they are one.
 */
const exact: ReadonlySet<UnaryName> = new Set<UnaryName>([
  'sqrt',
  'reciprocal',
  'square',
  'abs',
  'neg',
  'sign',
  'floor',
  'ceil',
  'rint',
  'trunc',
  'relu',
])

/** Functions that a float64 may lose to underflow, though not where they vanish. */
const vanishing: ReadonlySet<UnaryName> = new Set<UnaryName>([
  'exp',
  'exp2',
  'sigmoid',
  'softplus',
  'silu',
  'gelu',
  'geluTanh',
  'erfc',
])

/** Stated error of `unary` relative to its value; a test holds it against MPFR with 2^-47. */
const relativeError = 2 ** -44

const tables = new WeakMap<FloatFormat, Map<UnaryName, Uint8Array | Uint16Array>>()

/**
 * The result code of a unary function for every operand code of a format, in code order, correctly rounded (nearest
 * even) from the real value. Built at the first call and kept: treat it as read-only.
 *
 * Shape     2^bits codes.
 * Rounding  once: where the float64 value's error interval meets a midpoint, the value is settled by integers.
 * Special   operand NaN and invalid operations: the canonical NaN, sign 0 (also for abs and neg); else as `unary`.
 * Cost      16-bit formats: 10 to 60 ms at the first call.
 *
 * @example unaryTable('exp', 'bfloat16')[0x3f80] // 16430
 */
export function unaryTable(name: UnaryName, format: FormatName | FloatFormat): Uint8Array | Uint16Array {
  const record = formatOf(format)
  if (!Object.hasOwn(unary, name)) throw new TypeError(`unaryTable: unknown function [${String(name)}]`)
  let known = tables.get(record)
  if (known === undefined) {
    known = new Map()
    tables.set(record, known)
  }
  let table = known.get(name)
  if (table === undefined) {
    table = build(name, record)
    known.set(name, table)
  }
  return table
}

function build(name: UnaryName, format: FloatFormat): Uint8Array | Uint16Array {
  const values = decodeTable(format)
  const evaluate = unary[name]
  const encode = encoder(format)
  const table = format.bits <= 8 ? new Uint8Array(values.length) : new Uint16Array(values.length)
  const direct = exact.has(name)
  for (let code = 0; code < values.length; code++) {
    const x = values[code]!
    const y = evaluate(x)
    if (direct || !Number.isFinite(y)) {
      table[code] = encode(y)
    } else if (y === 0) {
      const underflow = x !== 0 && Number.isFinite(x) && vanishing.has(name)
      table[code] = encode(underflow ? (Object.is(y, -0) ? -Number.MIN_VALUE : Number.MIN_VALUE) : y)
    } else {
      const error = errorAt(name, x, y)
      const below = encode(y - error)
      table[code] = below === encode(y + error) || !Number.isFinite(x) ? below : encode(roundedToOdd(name, x))
    }
  }
  return table
}

function errorAt(name: UnaryName, x: number, y: number): number {
  // Below -1/2 lgamma is a difference; its error is relative to the larger term.
  if (name === 'lgamma' && x < -0.5) return relativeError * Math.max(1, Math.abs(lgamma(1 - x)))
  return relativeError * Math.abs(y)
}
