import { type UnaryName, unaryTable } from '../numbers/functions/index.js'

/** A function from one bfloat16 code to another. */
export type UnaryCode = (code: number) => number

/**
 * The results of a unary function for all 65,536 bfloat16 codes, in code order, each correctly rounded (nearest even)
 * from the real value. Built at the first call and kept: treat it as read-only.
 *
 * Special   operand NaN and invalid operations give 0x7FC0.
 *
 * @example table('exp')[0x3f80] // 16430
 */
export function table(name: UnaryName): Uint16Array {
  return unaryTable(name, 'bfloat16') as Uint16Array
}

function byTable(name: UnaryName): UnaryCode {
  let results: Uint16Array | undefined
  const of: UnaryCode = (code) => {
    results ??= table(name)
    const result = results[code]
    if (result === undefined) throw new RangeError(`${name}: code outside 0..65535 [${code}]`)
    return result
  }
  return Object.defineProperty(of, 'name', { value: name })
}

// Each of the functions below looks up the result for one bfloat16 code in `table`; the functions of the same names in tensor
// take tensors.

/** e^x. */
export const exp: UnaryCode = byTable('exp')
/** 2^x. */
export const exp2: UnaryCode = byTable('exp2')
/** e^x - 1. */
export const expm1: UnaryCode = byTable('expm1')
/** Natural logarithm. */
export const log: UnaryCode = byTable('log')
/** Logarithm to base 2. */
export const log2: UnaryCode = byTable('log2')
/** Logarithm to base 10. */
export const log10: UnaryCode = byTable('log10')
/** log(1 + x). */
export const log1p: UnaryCode = byTable('log1p')
/** Square root. */
export const sqrt: UnaryCode = byTable('sqrt')
/** 1 / sqrt(x); +-0 gives +-Infinity. */
export const rsqrt: UnaryCode = byTable('rsqrt')
/** Cube root. */
export const cbrt: UnaryCode = byTable('cbrt')
/** 1 / x; +-0 gives +-Infinity. */
export const reciprocal: UnaryCode = byTable('reciprocal')
/** Sine of radians. */
export const sin: UnaryCode = byTable('sin')
/** Cosine of radians. */
export const cos: UnaryCode = byTable('cos')
/** Tangent of radians. */
export const tan: UnaryCode = byTable('tan')
/** Inverse sine. */
export const asin: UnaryCode = byTable('asin')
/** Inverse cosine. */
export const acos: UnaryCode = byTable('acos')
/** Inverse tangent. */
export const atan: UnaryCode = byTable('atan')
/** Hyperbolic sine. */
export const sinh: UnaryCode = byTable('sinh')
/** Hyperbolic cosine. */
export const cosh: UnaryCode = byTable('cosh')
/** Hyperbolic tangent. */
export const tanh: UnaryCode = byTable('tanh')
/** Inverse hyperbolic sine. */
export const asinh: UnaryCode = byTable('asinh')
/** Inverse hyperbolic cosine. */
export const acosh: UnaryCode = byTable('acosh')
/** Inverse hyperbolic tangent. */
export const atanh: UnaryCode = byTable('atanh')
/** 1 / (1 + e^-x). */
export const sigmoid: UnaryCode = byTable('sigmoid')
/** log(1 + e^x). */
export const softplus: UnaryCode = byTable('softplus')
/** x sigmoid(x); -Infinity gives -0. */
export const silu: UnaryCode = byTable('silu')
/** x / 2 (1 + erf(x / sqrt(2))); -Infinity gives -0. */
export const gelu: UnaryCode = byTable('gelu')
/** x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); -Infinity gives -0. */
export const geluTanh: UnaryCode = byTable('geluTanh')
/** Error function. */
export const erf: UnaryCode = byTable('erf')
/** 1 - erf(x). */
export const erfc: UnaryCode = byTable('erfc')
/** log |Gamma(x)|; poles and both infinities give +Infinity. */
export const lgamma: UnaryCode = byTable('lgamma')
/** x x. */
export const square: UnaryCode = byTable('square')
/** |x|; NaN gives 0x7FC0. */
export const abs: UnaryCode = byTable('abs')
/** -x; NaN gives 0x7FC0. */
export const neg: UnaryCode = byTable('neg')
/** -1, +-0 or 1. */
export const sign: UnaryCode = byTable('sign')
/** Largest integer not above x. */
export const floor: UnaryCode = byTable('floor')
/** Smallest integer not below x; -0.5 gives -0. */
export const ceil: UnaryCode = byTable('ceil')
/** Nearest integer, ties to even. */
export const rint: UnaryCode = byTable('rint')
/** x without its fraction. */
export const trunc: UnaryCode = byTable('trunc')
/** x above zero, else +0; NaN gives 0x7FC0. */
export const relu: UnaryCode = byTable('relu')
