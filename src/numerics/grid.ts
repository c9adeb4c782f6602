import { format, formatNames } from '../formats/index.js'
import type { FloatDType } from '../tensor/index.js'

/** What a bound has to know of a dtype. */
export interface Grid {
  /** Significand bits, the hidden one included; the unit roundoff is 2^-precision. */
  readonly precision: number
  readonly max: number
  /** The smallest positive value, 0 if below all of float64. */
  readonly minPositive: number
}

/** Largest relative error of one rounding to nearest: 2^-8 for bfloat16. */
export function unitRoundoff({ precision }: Grid): number {
  return 2 ** -precision
}

/** Largest absolute error of one rounding to nearest below the normal range; at float64's end the spacing itself. */
export function underflowUnit({ minPositive }: Grid): number {
  return minPositive / 2 || 2 ** -1074
}

const native: Readonly<Record<string, Grid>> = {
  float32: { precision: 24, max: (2 - 2 ** -23) * 2 ** 127, minPositive: 2 ** -149 },
  float64: { precision: 53, max: Number.MAX_VALUE, minPositive: 2 ** -1074 },
}

/** The facts of a dtype. Only signed floats with a zero can be added up. */
export function gridOf(op: string, dtype: FloatDType): Grid {
  const own = native[dtype]
  if (own) return own
  const name = formatNames.find((known) => known === dtype)
  const record = name && format(name)
  if (!record?.signed) throw new TypeError(`${op}: needs a signed floating-point dtype [${String(dtype)}]`)
  return record
}

/** Whether every value of one dtype is a value of the other, so that moving there rounds nothing. */
export function fits(from: Grid, to: Grid): boolean {
  return from.precision <= to.precision && from.minPositive >= to.minPositive && from.max <= to.max
}

/** Whether a reduction takes operands of `dtype` as they are; else it rounds them to `accumulate` first. */
export function holds(accumulate: FloatDType, dtype: FloatDType): boolean {
  return accumulate === dtype || accumulate === 'float64' || (accumulate === 'float32' && dtype !== 'float64')
}
