import { expPair } from './expPair.js'
import { logValue } from './float32/logarithm.js'
import { type Pair, twoProduct } from './pair.js'

/**
 * log(x) of a positive normal pair: the float64 logarithm y, corrected by x exp(-y) - 1.
 *
 * Error     absolute, below 2^-69.
 */
export function logPair(x: Pair): Pair {
  const y = logValue(x[0])
  const power = expPair([-y, 0])
  const e = power[0]
  const high = x[0] * 2 ** power[1]
  const product = twoProduct(high, e[0])
  return [y, product[0] - 1 + product[1] + (high * e[1] + x[1] * 2 ** power[1] * e[0])]
}
