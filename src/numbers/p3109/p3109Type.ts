import {
  checkFlag,
  checkInteger,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { type FloatFormat, type P3109Options, p3109Format } from '../formats/index.js'

/** A format of IEEE P3109 of any width from 3 to 16 bits, whatever the range of its values. */
export interface P3109Type {
  /** binary<bits>p<precision>, s or u for signed or unsigned, e or f for the extended domain, with infinities, or the finite one. */
  readonly name: string
  readonly bits: number
  readonly precision: number
  readonly signed: boolean
  readonly infinity: boolean
  readonly exponentBits: number
  readonly bias: number
  readonly nan: number
  /** Codes of the infinities; null where there is none. */
  readonly positiveInfinity: number | null
  readonly negativeInfinity: number | null
  readonly maxFinite: number
  /** The code of -max; of an unsigned type that of zero. */
  readonly minFinite: number
  readonly minPositive: number
  /** Null where no value is subnormal: precision 1. */
  readonly maxSubnormal: number | null
  readonly minNormal: number
  /** The narrowest format of JavaScript's typed arrays that holds every value, or none: then only `decodeExact` gives them. */
  readonly values: 'float32' | 'float64' | 'none'
  /** The record for the rest of the toolkit, whose formats have float32 values; null where the values are no float32. */
  readonly format: FloatFormat | null
}

const optionNames: OptionTable<P3109Options> = { signed: 'optional', infinity: 'optional' }

const known = new Map<string, P3109Type>()

/**
 * A format of IEEE P3109 as a frozen record: every one of the draft, also those whose values are no float32 or float64.
 *
 * @param bits 3 .. 16
 * @param precision significand bits, the hidden one included: 1 .. bits - 1, unsigned 1 .. bits
 *
 * Throws  RangeError for a width or precision that is out of range.
 * Source  IEEE P3109/D1, sections 3.1 and 4.14.
 *
 * @example p3109Type(8, 4).name // binary8p4se
 * @example [p3109Type(8, 4).values, p3109Type(16, 6).values, p3109Type(16, 1).values] // ['float32', 'float64', 'none']
 * @example p3109Type(8, 4, { infinity: false }).maxFinite // 0x7f
 */
export function p3109Type(bits: number, precision: number, options: P3109Options = noOptions): P3109Type {
  checkOptions('p3109Type', options, optionNames, { positional: 'signed' })
  const { signed = true, infinity = true } = options
  checkFlag('p3109Type', 'signed', signed)
  checkFlag('p3109Type', 'infinity', infinity)
  checkInteger('p3109Type', 'bits', bits, 3, 16)
  checkInteger('p3109Type', 'precision', precision, 1, signed ? bits - 1 : bits)
  const name = `binary${bits}p${precision}${signed ? 's' : 'u'}${infinity ? 'e' : 'f'}`
  let type = known.get(name)
  if (type === undefined) {
    type = build(name, bits, precision, signed, infinity)
    known.set(name, type)
  }
  return type
}

/** Refuses what is no record of a type. */
export function checkType(op: string, type: P3109Type): void {
  checkRecord(op, 'type', type, ['name', 'bits', 'precision', 'signed', 'infinity'])
  if (known.get(type.name) === type) return
  const { bits, precision, signed, infinity } = type
  const made = p3109Type(bits, precision, { signed, infinity })
  const given = type as unknown as Readonly<Record<string, unknown>>
  const other = Object.entries(made).find(
    ([name, value]) => name !== 'format' && !Object.is(given[name], value),
  )
  if (other) {
    throw new RangeError(
      `${op}: ${other[0]} of the type is not that of ${made.name}, p3109Type makes it [${shown(given[other[0]])}]`,
    )
  }
}

function build(name: string, bits: number, precision: number, signed: boolean, infinity: boolean): P3109Type {
  const exponentBits = bits - precision + (signed ? 0 : 1)
  const half = 2 ** (bits - 1)
  const last = (signed ? half : 2 ** bits - 1) - 1
  const maxFinite = infinity ? last - 1 : last
  // Exponents of at most 8 bits end below 2^128, and with precision 16 at most begin above 2^-149; those of 11 likewise.
  const values = exponentBits <= 8 ? 'float32' : exponentBits <= 11 ? 'float64' : 'none'
  return Object.freeze({
    name,
    bits,
    precision,
    signed,
    infinity,
    exponentBits,
    bias: 2 ** (exponentBits - 1),
    nan: signed ? half : 2 ** bits - 1,
    positiveInfinity: infinity ? last : null,
    negativeInfinity: infinity && signed ? last + half : null,
    maxFinite,
    minFinite: signed ? maxFinite + half : 0,
    minPositive: 1,
    maxSubnormal: precision > 1 ? 2 ** (precision - 1) - 1 : null,
    minNormal: 2 ** (precision - 1),
    values,
    format: values === 'float32' ? p3109Format(bits, precision, { signed, infinity }) : null,
  })
}

/**
 * Every format that the draft names from 3 to 16 bits, 504 of them: by width, then precision, signed before unsigned, with
 * infinities before without.
 *
 * @example p3109Types().length // 504
 * @example p3109Types().filter(({ values }) => values === 'none').length // 50
 */
export function p3109Types(): P3109Type[] {
  const all: P3109Type[] = []
  for (let bits = 3; bits <= 16; bits++) {
    for (let precision = 1; precision <= bits; precision++) {
      for (const signed of precision < bits ? [true, false] : [false]) {
        for (const infinity of [true, false]) all.push(p3109Type(bits, precision, { signed, infinity }))
      }
    }
  }
  return all
}
