import { erfSeries, pieces, twoOverRootPi } from './erfTable.js'
import { expPair } from './expPair.js'
import { minus, over, type Pair, scaled, times, twoProduct, twoSum } from './pair.js'

const rootPi: Pair = over([2, 0], twoOverRootPi)

/** erf(x) for |x| < 1/4, by its series. */
export function smallErf(z: Pair): Pair {
  const x = z[0]
  const square = x * x
  let sum = 0
  for (let n = erfSeries.length - 1; n >= 0; n--) sum = (sum + erfSeries[n]!) * square
  const high = twoProduct(x, twoOverRootPi[0])
  return twoSum(high[0], high[1] + x * (twoOverRootPi[1] + sum) + z[1] * twoOverRootPi[0])
}

/** erfc(x) exp(x^2) for x >= 1/4: by pieces below 8, from there by the asymptotic series, DLMF 7.12.1. */
export function scaledErfc(z: Pair): Pair {
  const x = z[0]
  if (x < 8) {
    const octave = x < 1 ? (x < 0.5 ? -2 : -1) : x < 2 ? 0 : x < 4 ? 1 : 2
    const piece = pieces[4 * octave + 4 + Math.floor(x * 2 ** (2 - octave))]!
    const t = x - piece[0]! + z[1]
    let sum = 0
    for (let n = piece.length - 1; n >= 3; n--) sum = (sum + piece[n]!) * t
    return twoSum(piece[2]!, piece[1]! + sum)
  }
  const w = 0.5 / (x * x)
  let sum = 0
  // At 8 the nineteenth term is below 2^-57.
  for (let n = 18; n >= 1; n--) sum = -(2 * n - 1) * w * (1 + sum)
  const leading = over([1, 0], times(z, rootPi))
  return twoSum(leading[0], leading[1] + leading[0] * sum)
}

/** erfc(x) for x >= 1/4 as a pair times a power of two, kept where erfc itself would underflow. */
export function erfcPair(x: Pair): readonly [Pair, number] {
  const square = times(x, x)
  const power = expPair([-square[0], -square[1]])
  return [times(power[0], scaledErfc(x)), power[1]]
}

/**
 * The error function in float64.
 *
 * Error     0.6 ulp; 1 ulp where the result is below 2^-500.
 * Source    DLMF 7.6.1 below 1/4, 1 - erfc above.
 *
 * @example erf(0.5) // 0.5204998778130465
 */
export function erf(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude < 2 ** -500) return x * twoOverRootPi[0] + x * twoOverRootPi[1]
  if (magnitude < 0.25) return smallErf([x, 0])[0]
  if (!(magnitude < 6)) return Math.sign(x)
  const tail = erfcPair([magnitude, 0])
  const result = minus(1, tail[0], 2 ** tail[1])[0]
  return x < 0 ? -result : result
}

/**
 * 1 - erf(x) in float64, accurate in the far tail too.
 *
 * Error     0.6 ulp, also where the result is subnormal.
 *
 * @example erfc(10) < 2.1e-45 // true
 */
export function erfc(x: number): number {
  if (x > 28) return 0
  if (x < -6) return 2
  if (Number.isNaN(x)) return x
  if (Math.abs(x) < 2 ** -500) return 1
  if (Math.abs(x) < 0.25) {
    return minus(1, smallErf([x, 0]), 1)[0]
  }
  const tail = erfcPair([Math.abs(x), 0])
  return x > 0 ? scaled(tail[0], tail[1]) : minus(2, tail[0], 2 ** tail[1])[0]
}
