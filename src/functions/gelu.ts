import { erf, erfc, expMinusSquare, scaledErfc } from './erf.js'

const rootHalf = Math.SQRT1_2
const rootTwoOverPi = 0.7978845608028654 // sqrt(2 / pi)

/** x / 2 (1 + erf(x / sqrt(2))), its lower tail by erfc; -0 at -Infinity. */
export function gelu(x: number): number {
  if (x === -Infinity) return -0
  if (x >= 0) return (x / 2) * (1 + erf(x * rootHalf))
  const z = -x * rootHalf
  // Deep in the tail exp(-z^2) would multiply the rounding error of z by 2 z^2; x^2 / 2 has none.
  return (x / 2) * (z < 1 ? erfc(z) : expMinusSquare(x, 2) * scaledErfc(z))
}

/** x / 2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3); -0 at -Infinity. */
export function geluTanh(x: number): number {
  if (x === -Infinity) return -0
  const u = rootTwoOverPi * (x + 0.044715 * x * x * x)
  return x / (1 + Math.exp(-2 * u))
}
