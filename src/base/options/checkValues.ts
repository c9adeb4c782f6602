import { nearestName } from './nearestName.js'
import { shown } from './shown.js'

/**
 * Throws a RangeError unless `value` is one of the known names; the nearest is named, or all of them.
 *
 * @example checkName('sum', 'order', 'pairwis', ['sequential', 'pairwise']) // throws sum: unknown order, did you mean pairwise [pairwis]
 */
export function checkName(op: string, what: string, value: unknown, known: readonly string[]): void {
  if (typeof value === 'string' && known.includes(value)) return
  throw new RangeError(`${op}: unknown ${what}, ${nameAdvice(value, known)} [${shown(value)}]`)
}

/**
 * What an error says of a name that is none of `known`: the nearest one, or all of them.
 *
 * @example nameAdvice('bf16', ['float32', 'bfloat16']) // 'did you mean bfloat16'
 * @example nameAdvice(3, ['float32', 'bfloat16']) // 'there are float32, bfloat16'
 */
export function nameAdvice(value: unknown, known: readonly string[]): string {
  const near = typeof value === 'string' && nearestName(value, known)
  return near ? `did you mean ${near}` : `there are ${known.join(', ')}`
}

/**
 * Throws a RangeError unless `value` is a whole number from `least` to `most`.
 *
 * @example checkInteger('f', 'steps', 1.5, 0, 10) // throws f: steps is not a whole number from 0 to 10 [1.5]
 */
export function checkInteger(
  op: string,
  what: string,
  value: unknown,
  least: number = 0,
  most: number = Number.MAX_SAFE_INTEGER,
): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
  throw new RangeError(`${op}: ${what} is not a whole number${range} [${shown(value)}]`)
}

/**
 * Throws a RangeError unless `value` is a number from `least` to `most`; NaN never is. Infinite limits are excluded, so
 * that a number without limits is a finite one.
 *
 * @example checkNumber('f', 'tau', 2, 0, 1) // throws f: tau is not a number from 0 to 1 [2]
 */
export function checkNumber(
  op: string,
  what: string,
  value: unknown,
  least: number = Number.NEGATIVE_INFINITY,
  most: number = Number.POSITIVE_INFINITY,
): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return
  throw new RangeError(`${op}: ${what} is not a ${rangeText(least, most)} [${shown(value)}]`)
}

function rangeText(least: number, most: number): string {
  if (Number.isFinite(least)) {
    return Number.isFinite(most) ? `number from ${least} to ${most}` : `finite number, ${least} or more`
  }
  return Number.isFinite(most) ? `finite number, ${most} or less` : 'finite number'
}

/**
 * Throws a TypeError unless `value` is true or false.
 *
 * @example checkFlag('sum', 'keepDims', 'no') // throws sum: keepDims is not true or false [no]
 */
export function checkFlag(op: string, what: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError(`${op}: ${what} is not true or false [${shown(value)}]`)
}

/** Throws a TypeError unless `value` is a function. */
export function checkFunction(op: string, what: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${op}: ${what} is not a function [${shown(value)}]`)
}
