import { logValue } from './float32/logarithm.js'
import { sinPi } from './float32/trigonometric.js'
import { aboutOneRest, aboutTwoPairs, aboutTwoRest, halfLogTwoPi, minusEuler } from './lgammaTable.js'
import { logPair } from './logPair.js'
import { type Pair, plus, times, twoProduct, twoSum } from './pair.js'
import { fixed, fractionBits, lgamma as realLgamma } from './real.js'

/** B(2k) / (2k (2k - 1)), k = 1 ... 8: Stirling's series, DLMF 5.11.1. */
const stirling: readonly number[] = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
]

/**
 * log |Gamma(x)| in float64.
 *
 * Special   poles (0, negative integers) and both infinities: +Infinity.
 * Error     1 ulp, also about its zeros: 1, 2, and two between each pair of neighbouring poles below -2. 2 ulp below -20.
 * Cost      0.2 to 1 us; within 2^-12 of a negative zero it is settled in integers, 1 ms.
 *
 * @example lgamma(2) // 0
 */
export function lgamma(x: number): number {
  if (Number.isNaN(x)) return x
  if (Math.abs(x) === Infinity || (x <= 0 && Number.isInteger(x))) return Infinity
  if (Math.abs(x) < 2 ** -60) return -Math.log(Math.abs(x))
  if (x <= -20.5) return reflected(x)
  if (x < 0.5) return shiftedToZero(x)
  if (x < 1.5) return aboutOne(x - 1)
  if (x > 2 ** 60) {
    // Above 2.5599e305 it is beyond float64; above 2^1023 its logarithm's power would be no normal number.
    if (x >= 2 ** 1015) return Infinity
    const log = logPair([x, 0])
    return x * (log[0] - 1 + log[1])
  }
  return largerThanThreeHalves(x)[0]
}

function largerThanThreeHalves(x: number): Pair {
  if (x <= 2.5) return aboutTwo(x - 2)
  if (x < 10) return shiftedToTwo(x)
  let series = 0
  for (let k = stirling.length - 1; k >= 0; k--) series = series / (x * x) + stirling[k]!
  const leading = times(twoSum(x, -0.5), logPair([x, 0]))
  return plus(plus(leading, [-x, 0]), plus(halfLogTwoPi, [series / x, 0]))
}

/** log Gamma(2 + w) for |w| <= 1/2. */
function aboutTwo(w: number): Pair {
  let rest = 0
  for (let k = aboutTwoRest.length - 1; k >= 0; k--) rest = (rest + aboutTwoRest[k]!) * w
  let total: Pair = [rest, 0]
  for (let k = aboutTwoPairs.length - 1; k >= 0; k--) total = times(plus(total, aboutTwoPairs[k]!), [w, 0])
  return total
}

/** log Gamma(1 + w) for |w| <= 1/2. */
function aboutOne(w: number): number {
  if (Math.abs(w) > 1 / 16) {
    return less(aboutTwo(w), logPair(twoSum(1, w)))
  }
  let rest = 0
  for (let k = aboutOneRest.length - 1; k >= 0; k--) rest = (rest + aboutOneRest[k]!) * w
  const leading = twoProduct(w, minusEuler[0])
  return leading[0] + (leading[1] + w * (minusEuler[1] + rest))
}

function shiftedToTwo(x: number): Pair {
  let product: Pair = [1, 0]
  let rest = x
  while (rest > 2.5) {
    rest -= 1
    product = times(product, [rest, 0])
  }
  return plus(logPair(product), aboutTwo(rest - 2))
}

/** With x = w - n and |w| <= 1/2: Gamma(x) = Gamma(2 + w) / (w (w + 1) (w - 1) (w - 2) ... (w - n)). */
function shiftedToZero(x: number): number {
  const n = -Math.round(x)
  const w = x + n
  let product = times([Math.abs(w), 0], twoSum(1, w))
  for (let k = 1; k <= n; k++) product = times(product, twoSum(k, -w))
  const result = less(aboutTwo(w), logPair(product))
  // Both terms are known to about 2^-67 only, which is not enough near a zero.
  return Math.abs(result) < 2 ** -12 ? Number(realLgamma(fixed(x))) / 2 ** fractionBits : result
}

/** Below -20.5, where the zeros are nearer to the poles than any float64: log(pi / |sin(pi x)|) - lgamma(1 - x). */
function reflected(x: number): number {
  const log = logPair([Math.abs(sinPi(x - Math.round(x))) / Math.PI, 0])
  const operand = twoSum(1, -x)
  const gamma = largerThanThreeHalves(operand[0])
  // What 1 - x lost in rounding counts with the derivative, near log(1 - x).
  return less([-log[0], -log[1]], [gamma[0], gamma[1] + operand[1] * logValue(operand[0])])
}

/** a - b, rounded once. */
function less(a: Pair, b: Pair): number {
  return plus(a, [-b[0], -b[1]])[0]
}
