import { type FloatFormat, floorLog2 } from '../../../numbers/formats/index.js'
import {
  checkDType,
  type DType,
  dtypes,
  formatOf,
  isFloat,
  type StorageClass,
  storageClass,
} from './dtype.js'

/** What is true of a dtype, float32 and float64 as of every other format; integers and bool have a spacing of 1. */
export interface DTypeFacts {
  readonly dtype: DType
  readonly isFloat: boolean
  readonly signed: boolean
  /** Width of an element: a code of a float format, 1 for bool. */
  readonly bits: number
  /** Significand bits, the hidden one included; of integers the bits of the magnitude. */
  readonly precision: number
  /** Largest finite value; of int64 and uint64 the largest that is a number: 2^63 - 1024 and 2^64 - 2048. */
  readonly max: number
  /** Least finite value. */
  readonly lowest: number
  /** Smallest positive value. */
  readonly minPositive: number
  readonly minNormal: number
  /** Exponents of minNormal and of max: the floors of their log2. */
  readonly minExponent: number
  readonly maxExponent: number
  /** Distance from 1 to the next larger value of unlimited range. */
  readonly eps: number
  readonly infinity: boolean
  /** The sign's bit in a code, and the bits below it; undefined for float64, whose codes are no numbers, and beyond floats. */
  readonly signMask: number | undefined
  readonly magnitudeMask: number | undefined
  /** The record of a format of at most 16 bits; undefined for float32, float64, integers and bool. */
  readonly format: FloatFormat | undefined
  /** The class of typed array that holds the elements. */
  readonly storage: StorageClass
  /**
   * Distance between the values around a number, as `ulp` of formats: the smallest positive value at zero and underflow,
   * the spacing below the largest value past it, NaN for NaN and infinities.
   */
  ulp(value: number): number
}

const known: ReadonlyMap<string, DTypeFacts> = new Map(dtypes.map((dtype) => [dtype, factsOf(dtype)]))

/**
 * The facts of a dtype, one frozen record for each.
 *
 * Throws    TypeError for a name that is no dtype.
 *
 * @example dtypeFacts('float32').max // 3.4028234663852886e+38
 * @example dtypeFacts('bfloat16').ulp(256) // 2
 * @example dtypeFacts('float64').precision // 53
 */
export function dtypeFacts(dtype: DType): DTypeFacts {
  checkDType('dtypeFacts', dtype)
  return known.get(dtype)!
}

function factsOf(dtype: DType): DTypeFacts {
  const storage = storageClass(dtype)
  if (!isFloat(dtype)) return whole(dtype, storage)
  const format = formatOf(dtype)
  if (!format) return native(dtype, storage)
  const { bits, precision, max, lowest, minPositive, minNormal, minExponent, maxExponent } = format
  const { eps, infinity, signed, signMask, magnitudeMask } = format
  return record({
    dtype,
    isFloat: true,
    ...{ signed, bits, precision, max, lowest, minPositive, minNormal, minExponent, maxExponent },
    ...{ eps, infinity, signMask, magnitudeMask, format, storage },
  })
}

/** IEEE 754 binary32 and binary64. */
function native(dtype: DType, storage: DTypeFacts['storage']): DTypeFacts {
  const single = dtype === 'float32'
  const [precision, maxExponent] = single ? [24, 127] : [53, 1023]
  const max = (2 - 2 ** (1 - precision)) * 2 ** maxExponent
  return record({
    dtype,
    isFloat: true,
    signed: true,
    bits: single ? 32 : 64,
    precision,
    max,
    lowest: -max,
    minPositive: 2 ** (2 - maxExponent - precision),
    minNormal: 2 ** (1 - maxExponent),
    minExponent: 1 - maxExponent,
    maxExponent,
    eps: 2 ** (1 - precision),
    infinity: true,
    signMask: single ? 2 ** 31 : undefined,
    magnitudeMask: single ? 2 ** 31 - 1 : undefined,
    format: undefined,
    storage,
  })
}

function whole(dtype: DType, storage: DTypeFacts['storage']): DTypeFacts {
  const signed = dtype.startsWith('int')
  const bits = dtype === 'bool' ? 1 : Number(dtype.replace(/\D+/, ''))
  const precision = signed ? bits - 1 : bits
  return record({
    dtype,
    isFloat: false,
    signed,
    bits,
    precision,
    max: 2 ** precision - (bits === 64 ? 2 ** (precision - 53) : 1),
    lowest: signed ? -(2 ** precision) : 0,
    minPositive: 1,
    minNormal: 1,
    minExponent: 0,
    maxExponent: precision - 1,
    eps: 1,
    infinity: false,
    signMask: undefined,
    magnitudeMask: undefined,
    format: undefined,
    storage,
  })
}

function record(facts: Omit<DTypeFacts, 'ulp'>): DTypeFacts {
  const { precision, max, minNormal, minPositive } = facts
  return Object.freeze({
    ...facts,
    ulp(value: number): number {
      const magnitude = Math.abs(value)
      if (!(magnitude < Infinity)) return Number.NaN
      if (!facts.isFloat || magnitude < minNormal) return minPositive
      return 2 ** (floorLog2(Math.min(magnitude, max)) - precision + 1)
    },
  })
}
