import { toInt } from './bits.js'
import { decided, nearest, signed } from './decide.js'
import {
  acosEnd,
  acosHard,
  arcsine,
  arctangents,
  asinEnd,
  asinHard,
  at,
  atanEnd,
  atanHard,
  type int,
} from './numbers.js'

const half: number = 0.5 * Math.PI
const halfLow = 6.123233995736766e-17

/** asin(x) for 0 <= x <= 1/2, z being its square. */
function smallAsin(x: number, z: number): number {
  let sum = at(arcsine + 12)
  for (let i: int = 11; i >= 0; i--) sum = sum * z + at(arcsine + i)
  return x + x * z * sum
}

/** acos(x) for x >= 1/2: twice the inverse sine of sqrt((1 - x) / 2). */
function nearAcos(x: number): number {
  const z = 0.5 * (1 - x)
  return 2 * smallAsin(Math.sqrt(z), z)
}

export function asin(x: number): number {
  const size = Math.abs(x)
  if (!(size <= 1)) return NaN
  const y = size > 0.5 ? half - (nearAcos(size) - halfLow) : smallAsin(size, size * size)
  return signed(decided(y, size, asinHard, asinEnd), x)
}

export function acos(x: number): number {
  const size = Math.abs(x)
  if (!(size <= 1)) return NaN
  let y = 0.0
  if (size <= 0.5) y = half - (signed(smallAsin(size, size * size), x) - halfLow)
  else y = x > 0 ? nearAcos(size) : 2 * half - (nearAcos(size) - 2 * halfLow)
  return y === 0 ? 0 : decided(y, x, acosHard, acosEnd)
}

/** atan(s) for |s| <= 1/16, to 2^-53. */
function smallAtan(s: number): number {
  const z = s * s
  const rest = -0.09090909090909091 + z * (0.07692307692307693 - z * 0.06666666666666667)
  const middle = -0.14285714285714285 + z * (0.1111111111111111 + z * rest)
  return s + s * z * (-0.3333333333333333 + z * (0.2 + z * middle))
}

/** atan(a / b) for positive a and b, of whose quotient and products with 8 nothing overflows. */
export function atanValue(a: number, b: number): number {
  const beyond = a > b
  const j = nearest(8 * (beyond ? b / a : a / b))
  const c = 0.125 * j
  const row = arctangents + 2 * toInt(j)
  // atan(t) = atan(c) + atan((t - c) / (1 + t c)), t being a / b or its inverse.
  const s = beyond ? (b - c * a) / (a + c * b) : (a - c * b) / (b + c * a)
  if (beyond) return half - at(row) - (smallAtan(s) + (at(row + 1) - halfLow))
  return at(row) + (smallAtan(s) + at(row + 1))
}

export function atan(x: number): number {
  const size = Math.abs(x)
  const y = atanValue(Math.min(size, 1e30), 1)
  return signed(decided(y, size, atanHard, atanEnd), x)
}
