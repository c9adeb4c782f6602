import { exponentOf, powerOfTwo, toInt } from './bits.js'
import { decided, signed } from './decide.js'
import { cbrtEnd, cbrtHard, rsqrtEnd, rsqrtHard } from './numbers.js'

/** One step of Halley's method to the cube root of m: three times the digits. */
function closer(y: number, m: number): number {
  const cube = y * y * y
  return y + (y * (m - cube)) / (cube + cube + m)
}

export function cbrt(x: number): number {
  const size = Math.abs(x)
  if (!(size > 0 && size < Infinity)) return x
  const third = toInt(Math.floor(exponentOf(size) / 3.0))
  const m = size * powerOfTwo(-3 * third)
  // Within 0.022 of the root of 1 <= m < 8.
  const start = 0.8138 + m * (0.23625 - m * 0.01116)
  const y = closer(closer(closer(start, m), m), m) * powerOfTwo(third)
  return signed(decided(y, size, cbrtHard, cbrtEnd), x)
}

/** 1 / sqrt(x). */
export function rsqrt(x: number): number {
  return x === 0 ? 1 / x : decided(1 / Math.sqrt(x), x, rsqrtHard, rsqrtEnd)
}
