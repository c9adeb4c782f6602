import { floorLog2 } from '../../../numbers/formats/index.js'
import type { UnitInput, UnitRule } from './unit.js'

/** The exponent of a format's smallest normal number, below which significands shrink instead. */
export const leastExponents: Readonly<Record<UnitInput, number>> = {
  ...{ bfloat16: -126, float16: -14, tf32: -126 },
  ...{ float8_e4m3fn: -6, float8_e5m2: -14, float8_e4m3fnuz: -7, float8_e5m2fnuz: -15 },
  ...{ float6_e2m3fn: 0, float6_e3m2fn: -2, float4_e2m1fn: 0 },
}

/** The exponent of 0: so low that no product of it raises the largest exponent of a group. */
export const exponentOfZero = -4096

/** Numbers, and the exponents by which a unit aligns them. */
export interface UnitOperand {
  readonly values: Float32Array
  readonly exponents: Int32Array
}

/** The exponent that a number is aligned by; of an infinity or a NaN any. */
export function alignedBy(value: number, least: number): number {
  if (value === 0) return exponentOfZero
  return Number.isFinite(value) ? Math.max(floorLog2(Math.abs(value)), least) : least
}

/** Numbers of a format with their exponents; subnormals are 0 where the unit takes them so. */
export function unitOperand(given: Float32Array, input: UnitInput, adder?: UnitRule['adder']): UnitOperand {
  const least = leastExponents[input]
  const isFlushed = adder === 'pairwise'
  const values = isFlushed ? given.map((x) => (Math.abs(x) < 2 ** least ? 0 : x)) : given
  const exponents = new Int32Array(values.length)
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  for (let i = 0; i < values.length; i++) {
    const field = (words[i]! >>> 23) & 0xff
    exponents[i] = values[i] === 0 ? exponentOfZero : Math.max(field - 127, least)
  }
  return { values, exponents }
}

/** float32 as a unit reads it for tf32: the low 13 bits are not there, so that numbers are cut toward zero. */
export function readAsTf32(values: Float32Array): Float32Array {
  const result = Float32Array.from(values)
  const words = new Uint32Array(result.buffer)
  for (let i = 0; i < words.length; i++) words[i] = words[i]! & ~0x1fff
  return result
}
