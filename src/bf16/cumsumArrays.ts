import { arena, cumsumBlocks, type Engine } from '../numbers/simd/index.js'
import { codeOfResult, valueOfCode } from './float32Bits.js'
import { checkCodes, outFor, settled } from './outArray.js'

/**
 * Running sums of bfloat16 codes, first to last from +0, every addition rounded to bfloat16: the naive path.
 *
 * Shape     any length; `out` as long, and it may be the operand.
 * Dtype     Uint16Array codes.
 * Rounding  every addition, nearest even.
 * Special   from a NaN, or Inf - Inf, onward the canonical NaN 0x7FC0; a sum of -0 alone is +0.
 * Error     |r - s| <= g sum |x_i| with g = (n - 1) u / (1 - (n - 1) u), u = 2^-8, before overflow.
 * Cost      n dependent additions; allocates the result only, not even that with `out`.
 * Source    Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2, doi:10.1137/1.9780898718027
 *
 * @example cumsumArray(Uint16Array.of(0x4380, 0x3f80, 0x4000)) // [0x4380, 0x4380, 0x4381]
 */
export function cumsumArray(codes: Uint16Array, out?: Uint16Array, engine: Engine = 'simd'): Uint16Array {
  checkCodes('cumsumArray', codes)
  const result = outFor('cumsumArray', codes.length, out)
  const source = settled(codes, result)
  const simd = arena(engine)
  if (simd) {
    cumsumBlocks(simd, 'bfloat16', source, result)
    return result
  }
  let sum = 0
  for (let i = 0; i < source.length; i++) {
    sum = codeOfResult(valueOfCode(sum) + valueOfCode(source[i]!))
    result[i] = sum
  }
  return result
}

/**
 * The code of the last of cumsumArray's sums, +0 for no codes; in all else as cumsumArray.
 *
 * @example sumArray(Uint16Array.of(0x4380, 0x3f80, 0x4000)) // 0x4381
 */
export function sumArray(codes: Uint16Array, engine: Engine = 'simd'): number {
  checkCodes('sumArray', codes)
  const simd = arena(engine)
  if (simd) return codeOfResult(cumsumBlocks(simd, 'bfloat16', codes, undefined))
  let sum = 0
  for (let i = 0; i < codes.length; i++) sum = codeOfResult(valueOfCode(sum) + valueOfCode(codes[i]!))
  return sum
}

/**
 * Running sums of bfloat16 codes in float32, first to last from +0, each stored one rounded to bfloat16.
 *
 * Shape     any length; `out` as long, and it may be the operand.
 * Dtype     Uint16Array codes.
 * Rounding  every addition to float32, every output once to bfloat16, both nearest even.
 * Special   from a NaN, or Inf - Inf, onward the canonical NaN 0x7FC0; a sum of -0 alone is +0.
 * Error     |r - s| <= g A (1 + 2^-8) + 2^-8 |s| with A = sum |x_i|, g = (n - 1) u / (1 - (n - 1) u), u = 2^-24.
 * Cost      n dependent additions; allocates the result only, not even that with `out`.
 * Source    Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2, doi:10.1137/1.9780898718027
 *
 * @example cumsumFloat32(Uint16Array.of(0x4380, 0x3f80, 0x3f80)) // [0x4380, 0x4380, 0x4381]
 */
export function cumsumFloat32(codes: Uint16Array, out?: Uint16Array, engine: Engine = 'simd'): Uint16Array {
  checkCodes('cumsumFloat32', codes)
  const result = outFor('cumsumFloat32', codes.length, out)
  const source = settled(codes, result)
  const simd = arena(engine)
  if (simd) {
    cumsumBlocks(simd, 'float32', source, result)
    return result
  }
  let sum = 0
  for (let i = 0; i < source.length; i++) {
    sum = Math.fround(sum + valueOfCode(source[i]!))
    result[i] = codeOfResult(sum)
  }
  return result
}

/**
 * The float32 sum itself, as a number, before cumsumFloat32 rounds it; +0 for no codes.
 *
 * @example sumFloat32(Uint16Array.of(0x4380, 0x3f80)) // 257
 */
export function sumFloat32(codes: Uint16Array, engine: Engine = 'simd'): number {
  checkCodes('sumFloat32', codes)
  const simd = arena(engine)
  if (simd) return cumsumBlocks(simd, 'float32', codes, undefined)
  let sum = 0
  for (let i = 0; i < codes.length; i++) sum = Math.fround(sum + valueOfCode(codes[i]!))
  return sum
}
