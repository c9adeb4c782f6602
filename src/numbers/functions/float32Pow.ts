import { ieeePow, positivePower } from './decidedPow.js'
import { exponentOf, powerOfTwo } from './float32/bits.js'
import { within } from './float32/decide.js'
import { expValue } from './float32/exponential.js'
import { beyondFirst, ln2High, ln2Low, reduced, rowOf, upperRows } from './float32/logarithm.js'
import { at } from './float32/numbers.js'
import { type Pair, twoProduct, twoSum } from './pair.js'

/**
 * a ** b of float32 numbers, rounded once to float32.
 *
 * Special   as `ieeePow`.
 * Cost      30 ns; about once in 2^17, and where the power is exact, up to 0.5 ms in integers.
 *
 * @example float32Pow(2, 0.5) // 1.4142135381698608
 */
export function float32Pow(a: number, b: number): number {
  if (b === 1) return a
  if (b === 2) return Math.fround(a * a)
  const size = Math.abs(a)
  if (!(size > 0 && size < Infinity && Math.abs(b) < Infinity) || b === 0 || size === 1) {
    return Math.fround(ieeePow(a, b))
  }
  if (a < 0 && !Number.isInteger(b)) return Number.NaN
  const sign = a < 0 && b % 2 !== 0 ? -1 : 1
  const log = logOf(size)
  const power = b * log[0]
  // Beyond, float32 has 0 or Infinity.
  if (!(Math.abs(power) < 200)) return Math.fround(sign * expValue(within(power, -200, 200)))
  const rest = twoProduct(b, log[0])[1] + b * log[1]
  const value = expValue(power)
  const y = value + value * rest
  const error = 2 ** -42 * y
  const low = Math.fround(y - error)
  return sign * (low === Math.fround(y + error) ? low : Math.fround(positivePower(size, b)))
}

/** log(x) of a positive float32, relative error below 2^-58. */
function logOf(x: number): Pair {
  const e = exponentOf(x)
  const m = x * powerOfTwo(-e)
  const row = rowOf(m)
  const r = reduced(m, row)
  const k = row >= upperRows ? e + 1 : e
  const sum = twoSum(k * ln2High + at(row + 1), r)
  return twoSum(sum[0], sum[1] + (beyondFirst(r) + (k * ln2Low + at(row + 2))))
}
