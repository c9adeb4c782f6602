import { type DType, dtypeFacts, type Op } from '../../tensor/index.js'
import { explanationOf } from './explanations.js'
import type { ElementStep, NonFiniteKind } from './nonFinite.js'

/** The largest finite value of a float dtype. */
export function largestFinite(dtype: DType): number {
  return dtypeFacts(dtype).max
}

/** The operand past which an exponential overflows; undefined for other operations. */
export function threshold(op: Op, dtype: DType): number | undefined {
  return explanationOf(op).reaches?.(largestFinite(dtype))
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
  if (!infinite && exact !== undefined && Number.isFinite(exact) && Math.abs(exact) > largestFinite(dtype))
    return 'overflow'
  const { pole, nan } = explanationOf(op)
  const onPole = pole?.(a, b)
  if (onPole) return onPole
  if (!Number.isNaN(value)) return infinite ? undefined : 'overflow'
  if (nan) return typeof nan === 'string' ? nan : nan(operands)
  return all.length === 1 ? 'outside the domain' : 'operation'
}
