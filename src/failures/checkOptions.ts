import { type FloatDType, isFloat } from '../tensor/index.js'

/** Throws a TypeError unless the dtype is a float's. */
export function checkDType(id: string, dtype: FloatDType): void {
  if (!isFloat(dtype)) throw new TypeError(`${id}: needs a float dtype [${String(dtype)}]`)
}

/** Throws a RangeError unless `value` is a whole number from `least` to `most`. */
export function checkCount(id: string, name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new RangeError(`${id}: ${name} is not a whole number from ${least} to ${most} [${value}]`)
}

/** Throws a RangeError unless `value` is a finite number from `least` to `most`. */
export function checkNumber(id: string, name: string, value: number, least: number, most: number): void {
  if (!(value >= least && value <= most))
    throw new RangeError(`${id}: ${name} is not a number from ${least} to ${most} [${value}]`)
}

/** Throws a RangeError unless `value` is one of the names. */
export function checkName(id: string, name: string, value: string, known: readonly string[]): void {
  if (!known.includes(value))
    throw new RangeError(`${id}: unknown ${name}, there are ${known.join(', ')} [${String(value)}]`)
}
