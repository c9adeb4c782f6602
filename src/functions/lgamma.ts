import { zetaMinusOne } from './zetaMinusOne.js'

const oneMinusEuler = 0.42278433509846713 // 1 - 0.5772156649015329
const halfLogTwoPi = 0.9189385332046728 // log(2 pi) / 2

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
 * Error     relative, below 2^-48, for x > -1/2, the zeros at 1 and 2 included; below that point absolute,
 *           2^-48 times the larger of |log Gamma(1 - x)| and 1.
 *
 * @example lgamma(2) // 0
 */
export function lgamma(x: number): number {
  if (Number.isNaN(x)) return x
  if (x === -Infinity || (x <= 0 && Number.isInteger(x))) return Infinity
  if (x < -0.5) {
    // Reflection; x - rint(x) is exact, so the sine keeps its relative precision near the poles.
    const fraction = Math.abs(x - Math.round(x))
    return Math.log(Math.PI / Math.sin(Math.PI * fraction)) - lgamma(1 - x)
  }
  if (x <= 0.5) return aboutTwo(x) - Math.log1p(x) - Math.log(Math.abs(x))
  if (x < 1.5) return aboutTwo(x - 1) - Math.log1p(x - 1)
  if (x <= 2.5) return aboutTwo(x - 2)
  if (x < 10) return shiftedToTwo(x)
  if (x > 2 ** 60) return x * (Math.log(x) - 1)
  let series = 0
  for (let k = stirling.length - 1; k >= 0; k--) series = series / (x * x) + stirling[k]!
  return (x - 0.5) * Math.log(x) - x + halfLogTwoPi + series / x
}

/** log Gamma(2 + w) for |w| <= 1/2, DLMF 5.7.3; its leading term is (1 - euler) w. */
function aboutTwo(w: number): number {
  let sum = 0
  for (let k = zetaMinusOne.length + 1; k >= 2; k--) sum = zetaMinusOne[k - 2]! / k - w * sum
  return w * (oneMinusEuler + w * sum)
}

function shiftedToTwo(x: number): number {
  let product = 1
  let rest = x
  while (rest > 2.5) {
    rest -= 1
    product *= rest
  }
  return Math.log(product) + aboutTwo(rest - 2)
}
