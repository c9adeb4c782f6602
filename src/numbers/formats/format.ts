import { checkFlag, checkOptions, type OptionTable } from '../../base/options/index.js'

/** Where a format keeps its NaN codes. */
export type NaNCodes =
  /** Exponent all ones, mantissa not zero; mantissa zero is infinity. */
  | 'ieee'
  /** The largest magnitude only, of either sign. */
  | 'top'
  /** The one code that would be negative zero. */
  | 'negative-zero'
  /** No NaN at all. */
  | 'none'

/** The defining facts of a format, from which all others are derived. */
export interface FormatFacts {
  readonly name: string
  readonly exponentBits: number
  readonly mantissaBits: number
  /** Exponent field e of a normal number means 2^(e - bias). */
  readonly bias: number
  readonly nan: NaNCodes
  /** Whether the largest magnitude codes below NaN's is infinity. */
  readonly infinity: boolean
  /** Default true. */
  readonly signed?: boolean
  /** Default true. Without them exponent field 0 is an ordinary exponent. */
  readonly subnormals?: boolean
  /** Whether magnitude code 0 means zero rather than 2^-bias. Default true. */
  readonly zero?: boolean
}

/** A frozen record of a format: its facts and what follows from them. */
export interface FloatFormat extends Required<FormatFacts> {
  /** Width of a code; codes are 0 .. 2^bits - 1. */
  readonly bits: number
  /** Significand bits, the hidden one included. */
  readonly precision: number
  /** Largest finite value and its code. */
  readonly max: number
  readonly maxCode: number
  /** Least finite value: -max, or the smallest value of an unsigned format. */
  readonly lowest: number
  readonly minNormal: number
  /** Exponents of minNormal and of max: the floors of their log2. */
  readonly minExponent: number
  readonly maxExponent: number
  /** Null where the format has no subnormals. */
  readonly minSubnormal: number | null
  /** Smallest positive value. */
  readonly minPositive: number
  /** Distance from 1 to the next larger value of unlimited range: 2^-mantissaBits. */
  readonly eps: number
  /** Code of +infinity. */
  readonly infinityCode: number | null
  /** Code of the NaN that arithmetic gives: quiet, sign 0. */
  readonly canonicalNaN: number | null
  readonly negativeZero: boolean
  /** The sign's bit in a code, 0 for an unsigned format. */
  readonly signMask: number
  /** The bits below the sign. */
  readonly magnitudeMask: number
}

const factNames: OptionTable<FormatFacts> = {
  ...{ name: 'required', exponentBits: 'required', mantissaBits: 'required', bias: 'required' },
  ...{ nan: 'required', infinity: 'required' },
  ...{ signed: 'optional', subnormals: 'optional', zero: 'optional' },
}

const nanCodes: readonly NaNCodes[] = ['ieee', 'top', 'negative-zero', 'none']

function integerFact(facts: FormatFacts, fact: 'exponentBits' | 'mantissaBits' | 'bias', min: number): void {
  const value = facts[fact]
  if (!Number.isInteger(value) || value < min) {
    throw new RangeError(`defineFormat: ${fact} is not an integer from ${min} up [${value}]`)
  }
}

function checkFacts(facts: FormatFacts, signed: boolean, subnormals: boolean, zero: boolean): void {
  const { exponentBits, mantissaBits, nan, infinity } = facts
  if (typeof facts.name !== 'string' || facts.name === '') {
    throw new RangeError(`defineFormat: name is not a word [${String(facts.name)}]`)
  }
  integerFact(facts, 'exponentBits', 1)
  integerFact(facts, 'mantissaBits', 0)
  integerFact(facts, 'bias', -1000)
  for (const [what, flag] of Object.entries({ infinity, signed, subnormals, zero })) {
    checkFlag('defineFormat', what, flag)
  }
  const bits = exponentBits + mantissaBits + (signed ? 1 : 0)
  if (bits > 16 || bits < 2) throw new RangeError(`defineFormat: width outside 2..16 bits [${bits}]`)
  if (!nanCodes.includes(nan)) {
    throw new RangeError(`defineFormat: nan is none of ${nanCodes.join(' ')} [${String(nan)}]`)
  }
  if (nan === 'ieee' && (!infinity || mantissaBits === 0)) {
    throw new RangeError(
      `defineFormat: nan 'ieee' needs infinity and a mantissa bit [infinity ${infinity}, mantissaBits ${mantissaBits}]`,
    )
  }
  if (nan === 'negative-zero' && !(signed && zero)) {
    throw new RangeError(`defineFormat: no negative zero to hold NaN [signed ${signed}, zero ${zero}]`)
  }
  if (!zero && (subnormals || signed)) {
    throw new RangeError(
      `defineFormat: subnormals and a sign need zero [subnormals ${subnormals}, signed ${signed}]`,
    )
  }
}

/** Value of a magnitude code, as if the codes went on past the largest finite one. */
export function magnitudeValue(code: number, facts: FormatFacts): number {
  const scale = 2 ** facts.mantissaBits
  const exponent = Math.floor(code / scale)
  const mantissa = (code % scale) / scale
  if (code === 0 && facts.zero !== false) return 0
  if (exponent === 0 && facts.subnormals !== false) return mantissa * 2 ** (1 - facts.bias)
  return (1 + mantissa) * 2 ** (exponent - facts.bias)
}

/**
 * A format of at most 16 bits from its facts.
 *
 * Every value is a float32, so that decoding into a Float32Array is exact. Families have their own short form:
 * `ieeeFormat`, `p3109Format`.
 *
 * Throws    RangeError for a fact that is unknown, missing or out of range, or for facts that fit no format; TypeError for
 *           a flag that is not true or false.
 *
 * @example defineFormat({ name: 'ue4m3', exponentBits: 4, mantissaBits: 3, bias: 7, nan: 'top', infinity: false, signed: false }).max // 448
 */
export function defineFormat(facts: FormatFacts): FloatFormat {
  // The record of a format, or a copy of one that was changed, says besides what follows: that is found anew.
  const isRecord = typeof facts === 'object' && facts !== null && 'magnitudeMask' in facts
  if (!isRecord) checkOptions('defineFormat', facts, factNames)
  const { name, exponentBits, mantissaBits, bias, nan, infinity } = facts
  const { signed = true, subnormals = true, zero = true } = facts
  checkFacts(facts, signed, subnormals, zero)

  const magnitudeMask = 2 ** (exponentBits + mantissaBits) - 1
  const lastExponent = (2 ** exponentBits - 1) * 2 ** mantissaBits
  const topNaN = nan === 'top' ? 1 : 0
  const infinityCode = !infinity ? null : nan === 'ieee' ? lastExponent : magnitudeMask - topNaN
  const maxCode = infinityCode === null ? magnitudeMask - topNaN : infinityCode - 1
  const signMask = signed ? magnitudeMask + 1 : 0
  const canonical = {
    ieee: lastExponent + 2 ** (mantissaBits - 1),
    top: magnitudeMask,
    'negative-zero': signMask,
    none: null,
  }

  const firstNormal = subnormals ? 2 ** mantissaBits : zero ? 1 : 0
  const exponentOf = (code: number): number => Math.floor(code / 2 ** mantissaBits) - bias
  const max = magnitudeValue(maxCode, facts)
  const minPositive = magnitudeValue(zero ? 1 : 0, facts)
  const step = 2 ** ((subnormals ? 1 : 0) - bias - mantissaBits)
  if (maxCode < firstNormal) throw new RangeError(`defineFormat: no normal number is left [${name}]`)
  if (Math.fround(max) !== max || max === Infinity || step < 2 ** -149) {
    throw new RangeError(`defineFormat: values outside float32's [max ${max}, step ${step}]`)
  }
  return Object.freeze({
    name,
    exponentBits,
    mantissaBits,
    bias,
    nan,
    infinity,
    signed,
    subnormals,
    zero,
    bits: exponentBits + mantissaBits + (signed ? 1 : 0),
    precision: mantissaBits + 1,
    max,
    maxCode,
    lowest: signed ? -max : zero ? 0 : minPositive,
    minNormal: magnitudeValue(firstNormal, facts),
    minExponent: exponentOf(firstNormal),
    maxExponent: exponentOf(maxCode),
    minSubnormal: subnormals && mantissaBits > 0 ? minPositive : null,
    minPositive,
    eps: 2 ** -mantissaBits,
    infinityCode,
    canonicalNaN: canonical[nan],
    negativeZero: signed && zero && nan !== 'negative-zero',
    signMask,
    magnitudeMask,
  })
}
