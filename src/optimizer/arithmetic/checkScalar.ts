import { checkFlag as checkGivenFlag } from '../../base/options/index.js'
import { checkFloatDType, Tensor } from '../../tensors/tensor/index.js'
import type { Scalar } from './operand.js'

/**
 * Throws a RangeError unless the number is one and in [low, high], which an infinite one may be; strong scalars are data and
 * pass.
 */
export function checkScalar(
  op: string,
  name: string,
  value: Scalar,
  low: number = Number.NEGATIVE_INFINITY,
  high: number = Number.POSITIVE_INFINITY,
): void {
  if (value instanceof Tensor) return
  if (typeof value !== 'number' || Number.isNaN(value) || value < low || value > high) {
    throw new RangeError(`${op}: ${name} is not ${range(low, high)} [${String(value)}]`)
  }
}

/** Throws a RangeError unless the number is a decay: from 0, below 1, where 1 - decay^t would be 0. */
export function checkDecay(op: string, name: string, value: Scalar): void {
  checkScalar(op, name, value, 0, 1)
  if (value === 1) throw new RangeError(`${op}: ${name} is not below 1 [1]`)
}

/** Throws a TypeError unless the value is a boolean or not given. */
export function checkFlag(op: string, name: string, value: unknown): void {
  if (value !== undefined) checkGivenFlag(op, name, value)
}

/** Throws a TypeError unless the value is a floating-point dtype or not given. */
export function checkDtype(op: string, name: string, value: unknown): void {
  if (value !== undefined) checkFloatDType(op, name, value)
}

function range(low: number, high: number): string {
  if (low === Number.NEGATIVE_INFINITY) return 'a number'
  return high === Number.POSITIVE_INFINITY ? `a number from ${low}` : `a number from ${low} to ${high}`
}
