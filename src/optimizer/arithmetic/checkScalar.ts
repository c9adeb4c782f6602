import { Tensor } from '../../tensor/index.js'
import type { Scalar } from './decoded.js'

/** Throws a RangeError unless the number is one and in [low, high]; strong scalars are data and pass. */
export function checkNumber(
  op: string,
  name: string,
  value: Scalar,
  low: number = Number.NEGATIVE_INFINITY,
  high: number = Number.POSITIVE_INFINITY,
): void {
  if (value instanceof Tensor) return
  if (typeof value !== 'number' || Number.isNaN(value) || value < low || value > high)
    throw new RangeError(`${op}: ${name} is not ${range(low, high)} [${String(value)}]`)
}

/** Throws a RangeError unless the number is a whole one of at least `low`. */
export function checkWhole(op: string, name: string, value: number, low: number): void {
  if (!Number.isInteger(value) || value < low)
    throw new RangeError(`${op}: ${name} is not a whole number from ${low} [${value}]`)
}

function range(low: number, high: number): string {
  if (low === Number.NEGATIVE_INFINITY) return 'a number'
  return high === Number.POSITIVE_INFINITY ? `a number from ${low}` : `a number from ${low} to ${high}`
}
