import { floorLog2 } from '../../../numbers/formats/index.js'
import type { UnitRule } from './unit.js'

/** Fraction bits, the exponent of the smallest normal number, and the power of two that is too large. */
export const resultFacts: Readonly<
  Record<UnitRule['result'], { readonly fraction: number; readonly least: number; readonly limit: number }>
> = {
  float32: { fraction: 23, least: -126, limit: 2 ** 128 },
  e8m13: { fraction: 13, least: -126, limit: 2 ** 128 },
  float16: { fraction: 10, least: -14, limit: 2 ** 16 },
}

/** Nearest integer, ties to even, of magnitudes below 2^51. */
const nearest = (x: number): number => x + 1.5 * 2 ** 52 - 1.5 * 2 ** 52

/** An exact sum as a unit writes it; what is too large is an infinity, in either rounding. */
export function finish(sum: number, rule: Pick<UnitRule, 'result' | 'rounding'>): number {
  if (sum === 0 || !Number.isFinite(sum)) return sum
  const { fraction, least, limit } = resultFacts[rule.result]
  const magnitude = Math.abs(sum)
  const step = 2 ** (Math.max(floorLog2(magnitude), least) - fraction)
  const kept = (rule.rounding === 'cut' ? Math.trunc(magnitude / step) : nearest(magnitude / step)) * step
  const result = kept >= limit ? Infinity : kept
  return sum < 0 ? -result : result
}
