import { codeOfFloat64, codeOfResult, valueOfCode } from './float32Bits.js'

/**
 * a + b on bfloat16 codes.
 *
 * Rounding  once, nearest even: float32's 24 bits are more than the 2 * 8 + 2 that make its own rounding innocuous,
 *           and a subnormal float32 sum is exact.
 * Special   IEEE 754; any NaN gives 0x7FC0.
 *
 * @example add(0x4380, 0x3f80) // 17280
 */
export function add(a: number, b: number): number {
  return codeOfResult(valueOfCode(a) + valueOfCode(b))
}

/**
 * a - b on bfloat16 codes. Rounding and special values as `add`.
 *
 * @example sub(0x3f80, 0x3f80) // 0
 */
export function sub(a: number, b: number): number {
  return codeOfResult(valueOfCode(a) - valueOfCode(b))
}

/**
 * a * b on bfloat16 codes.
 *
 * Rounding  once, nearest even: a product has 16 bits, so float32 holds it or, below 2^-126, cuts it where no
 *           bfloat16 tie is left.
 * Special   IEEE 754; any NaN gives 0x7FC0.
 *
 * @example mul(0x4000, 0x4040) // 16576
 */
export function mul(a: number, b: number): number {
  return codeOfResult(valueOfCode(a) * valueOfCode(b))
}

/**
 * a / b on bfloat16 codes.
 *
 * Rounding  once, nearest even, by the rule of `add`; a quotient below 2^-126 is cut below the last bfloat16 tie.
 * Special   IEEE 754; any NaN gives 0x7FC0.
 *
 * @example div(0x3f80, 0x4040) // 16043
 */
export function div(a: number, b: number): number {
  return codeOfResult(valueOfCode(a) / valueOfCode(b))
}

/**
 * The smaller of two bfloat16 codes' values: IEEE 754-2019 minimum.
 *
 * Special   any NaN gives 0x7FC0; -0 is below +0.
 *
 * @example min(0x8000, 0x0000) // 32768
 */
export function min(a: number, b: number): number {
  return codeOfResult(Math.min(valueOfCode(a), valueOfCode(b)))
}

/**
 * The larger of two bfloat16 codes' values: IEEE 754-2019 maximum.
 *
 * Special   any NaN gives 0x7FC0; +0 is above -0.
 *
 * @example max(0x8000, 0x0000) // 0
 */
export function max(a: number, b: number): number {
  return codeOfResult(Math.max(valueOfCode(a), valueOfCode(b)))
}

const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)

/**
 * a * b + c on bfloat16 codes.
 *
 * Rounding  once, nearest even. The product is exact in float64; the sum is rounded there to odd, which keeps what a
 *           second rounding must know, and then to bfloat16. Float32 multiply-add then bfloat16 is wrong for about 1.2 %
 *           of operands chosen to hurt.
 * Special   IEEE 754; any NaN gives 0x7FC0.
 * Source    Boldo and Melquiond, Emulation of FMA and correctly rounded sums, doi:10.1109/TC.2007.70819
 *
 * @example fma(0x3f81, 0x3f81, 0xbf82) // 14464
 */
export function fma(a: number, b: number, c: number): number {
  const product = valueOfCode(a) * valueOfCode(b)
  const addend = valueOfCode(c)
  const sum = product + addend
  if (!Number.isFinite(sum)) return codeOfResult(sum)
  // Knuth's TwoSum: sum + lost is product + addend exactly.
  const rest = sum - product
  const lost = product - (sum - rest) + (addend - rest)
  float64[0] = sum
  if (lost !== 0 && words[0]! % 2 === 0) {
    // An even last bit becomes the odd one on the side where the exact sum lies.
    if (lost > 0 === sum > 0) {
      words[0]! += 1
    } else {
      if (words[0] === 0) words[1]! -= 1
      words[0]! -= 1
    }
  }
  return codeOfFloat64(float64[0]!, words[1]!)
}
