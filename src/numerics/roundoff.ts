import { type DTypeFacts, dtypeFacts, type FloatDType } from '../tensors/tensor/index.js'

/** Largest relative error of one rounding to nearest: 2^-8 for bfloat16. */
export function unitRoundoff({ precision }: DTypeFacts): number {
  return 2 ** -precision
}

/** Largest absolute error of one rounding to nearest below the normal range; at float64's end the spacing itself. */
export function underflowUnit({ minPositive }: DTypeFacts): number {
  return minPositive / 2 || 2 ** -1074
}

/** The facts of a dtype that can be added up: a signed float with a zero. */
export function addable(op: string, dtype: FloatDType): DTypeFacts {
  const facts = dtypeFacts(dtype)
  if (facts.isFloat && facts.signed) return facts
  throw new TypeError(`${op}: needs a signed floating-point dtype [${dtype}]`)
}

/** Whether every value of one dtype is a value of the other, so that moving there rounds nothing. */
export function fits(from: DTypeFacts, to: DTypeFacts): boolean {
  return from.precision <= to.precision && from.minPositive >= to.minPositive && from.max <= to.max
}
