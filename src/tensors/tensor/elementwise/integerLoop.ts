import { type IntegerDType, isBigDType, isPacked, wrapping } from '../storage/dtype.js'
import { type Loop, pointwise } from './loops.js'

/**
 * A function of two integers as a loop: storage keeps the last bits of a result, as many as it has, and of 2- and 4-bit integers
 * the loop does. `big` is the function of 64-bit integers, where it is not written with operators that bigints have too.
 */
export function integerLoop(
  dtype: IntegerDType,
  int: (a: number, b: number) => number,
  big?: (a: bigint, b: bigint) => bigint,
): Loop {
  if (isBigDType(dtype)) return pointwise((big ?? int) as typeof int)
  if (!isPacked(dtype)) return pointwise(int)
  const wrap = wrapping(dtype)
  return pointwise((a, b) => wrap(int(a, b)))
}
