import { type DType, dtypeFacts, type Op } from '../../tensor/index.js'
import { exceptionRule } from './exceptionRules.js'
import type { ElementStep, NonFiniteKind } from './nonFinite.js'

/** The largest finite value of a float dtype. */
export function largestFinite(dtype: DType): number {
  return dtypeFacts(dtype).max
}

/** The operand past which an exponential overflows; undefined for other operations. */
export function threshold(op: Op, dtype: DType): number | undefined {
  return exceptionRule(op).reaches?.(largestFinite(dtype))
}

/** What a NaN from operands that are none is called. */
export function invalidKind(op: Op, operands: readonly (readonly number[])[]): NonFiniteKind {
  const { invalid } = exceptionRule(op)
  if (invalid) return typeof invalid === 'string' ? invalid : invalid(operands)
  return operands.flat().length === 1 ? 'outside the domain' : 'operation'
}

/**
 * What happened in one operation whose result is not finite, read off its operands and result. `undefined` where a value
 * only passed: an infinity that stays one, a NaN that was there.
 */
export function eventKind(
  op: Op,
  { dtype, value, operands, exact }: Pick<ElementStep, 'dtype' | 'value' | 'operands' | 'exact'>,
): NonFiniteKind | undefined {
  const all = operands.flat()
  const [[a = 0] = [], [b = 0] = []] = operands
  if (all.some(Number.isNaN)) return undefined
  const infinite = all.some((x) => Math.abs(x) === Infinity)
  // A format without infinities overflows to NaN.
  if (!infinite && exact !== undefined && Number.isFinite(exact) && Math.abs(exact) > largestFinite(dtype)) {
    return 'overflow'
  }
  const onPole = infinite ? undefined : exceptionRule(op).pole?.(a, b)
  if (onPole) return onPole
  if (!Number.isNaN(value)) return infinite ? undefined : 'overflow'
  return invalidKind(op, operands)
}
