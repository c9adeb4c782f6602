import { erfcPair, smallErf } from './erf.js'
import { expPair } from './expPair.js'
import { minus, over, type Pair, plus, scaled, times } from './pair.js'
import { sigmoid } from './sigmoid.js'

const rootHalf: Pair = [Math.SQRT1_2, -4.833646656726457e-17] // sqrt(1 / 2)
const twiceRootTwoOverPi: Pair = [1.5957691216057308, -9.96930880911092e-17] // 2 sqrt(2 / pi)
const cubicTerm: Pair = [0.044715, 2.1960211427085595e-18]

/** x sigmoid(x); -0 at -Infinity. */
export function silu(x: number): number {
  // Below, the sigmoid is subnormal: it must not be rounded before it is multiplied.
  return x < -700 ? gated(x, [x, 0]) : x * sigmoid(x)
}

/** x / 2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3); -0 at -Infinity. */
export function geluTanh(x: number): number {
  // Here the error of 2 u is not multiplied by more than 1 on its way through the exponential.
  if (x > -0.5) return x / (1 + Math.exp(-twiceRootTwoOverPi[0] * (x + 0.044715 * x * x * x)))
  if (!(x > -24)) return Number.isNaN(x) ? x : -0
  const cube = times(times([x, 0], [x, 0]), times([x, 0], cubicTerm))
  return gated(x, times(twiceRootTwoOverPi, plus([x, 0], cube)))
}

/** x exp(t) / (1 + exp(t)) for negative x and t. */
function gated(x: number, t: Pair): number {
  if (t[0] < -800) return -0
  const power = expPair(t)
  const denominator = minus(1, power[0], -(2 ** power[1]))
  return scaled(over(times([x, 0], power[0]), denominator), power[1])
}

/** x / 2 (1 + erf(x / sqrt(2))), its lower tail by erfc; -0 at -Infinity. */
export function gelu(x: number): number {
  if (Number.isNaN(x)) return x
  if (x > 9) return x
  if (x < -40) return -0
  if (Math.abs(x) < 2 ** -400) return x / 2
  const z = times([Math.abs(x), 0], rootHalf)
  const half: Pair = [x / 2, 0]
  if (z[0] < 0.25) {
    return times(half, minus(1, smallErf(z), x > 0 ? -1 : 1))[0]
  }
  const tail = erfcPair(z)
  if (x < 0) return scaled(times(half, tail[0]), tail[1])
  return times(half, minus(2, tail[0], 2 ** tail[1]))[0]
}
