import { powersOfRoot, stepParts } from './expTable.js'
import { type Pair, twoProduct, twoSum } from './pair.js'

/**
 * exp(x) of a pair below 1100 in magnitude: a pair about 1 and the exponent of the power of two that it is to be multiplied
 * by. One could not hold exp(-745), whose bits are needed where it is multiplied before it is rounded.
 *
 * Error     relative, below 2^-70.
 * Source    exp(x) = 2^(n/64) exp(r), |r| <= ln(2) / 128: Tang, ACM Trans. Math. Softw. 15 (1989), doi:10.1145/63522.214389
 */
export function expPair(x: Pair): readonly [Pair, number] {
  const first = stepParts[0]
  const second = stepParts[1]
  const n = Math.round(x[0] / (first + second))
  const reduced = twoSum(x[0] - n * first, -n * second)
  const r = reduced[0]
  const tail = reduced[1] - n * stepParts[2] + x[1]
  const square = twoProduct(r, r)
  // exp(r) - 1 - r - r^2 / 2, whose share of the sum is below 2^-24.
  const cubic = r * square[0] * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040))))
  const sum = twoSum(r, square[0] / 2)
  const sumLow = sum[1] + (square[1] / 2 + cubic + tail * (1 + r))
  const j = ((n % 64) + 64) % 64
  const power = powersOfRoot[j]!
  const product = twoProduct(power[0], sum[0])
  const total = twoSum(power[0], product[0])
  const low = total[1] + (product[1] + power[0] * sumLow + power[1] + power[1] * sum[0])
  return [[total[0], low], (n - j) / 64]
}
