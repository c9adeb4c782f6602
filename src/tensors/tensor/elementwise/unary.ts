import { mapArray } from '../../../bf16/index.js'
import {
  float32Unary,
  type UnaryName,
  unary,
  unaryNames,
  unaryTable,
} from '../../../numbers/functions/index.js'
import { arena, float32UnaryBlocks } from '../../../numbers/simd/index.js'
import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { checkOutOption } from '../storage/checkCall.js'
import {
  allocate,
  type DType,
  elementsIn,
  formatOf,
  isBigDType,
  isFloat,
  isInteger,
  isPacked,
  wrapping,
} from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'
import type { Rounds } from '../storage/op.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { type Codes, lookUp } from './lookUp.js'

/** Functions that integers have too; the others need a float dtype. */
const wholeNumber: Readonly<Partial<Record<UnaryName, (x: number) => number>>> = {
  square: (x) => Math.imul(x, x),
  abs: (x) => Math.abs(x),
  neg: (x) => -x,
  sign: (x) => Math.sign(x),
  relu: (x) => Math.max(x, 0),
  floor: (x) => x,
  ceil: (x) => x,
  rint: (x) => x,
  trunc: (x) => x,
}

/** Those of 64-bit integers that are not the same operators. */
const big: Readonly<Partial<Record<UnaryName, (x: bigint) => bigint>>> = {
  square: (x) => x * x,
  abs: (x) => (x < 0n ? -x : x),
  sign: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
  relu: (x) => (x > 0n ? x : 0n),
}

/** A function of an integer dtype's elements, of whose results storage keeps the last bits; undefined where there is none. */
function integerFunction(name: UnaryName, dtype: DType): ((x: number) => number) | undefined {
  const f = wholeNumber[name]
  if (!f || !isInteger(dtype)) return undefined
  if (isBigDType(dtype)) return (big[name] ?? f) as typeof f
  if (!isPacked(dtype)) return f
  const wrap = wrapping(dtype)
  return (x) => wrap(f(x))
}

/** The functions that change no more than the sign or choose, and those whose results jump; the others round. */
const rounding: Readonly<Partial<Record<UnaryName, Rounds>>> = {
  abs: 'never',
  neg: 'never',
  relu: 'never',
  sign: 'decides',
  floor: 'decides',
  ceil: 'decides',
  rint: 'decides',
  trunc: 'decides',
}

/** From here on the copies into the kernel's memory and out cost less than it saves. */
const long = 64

function mapFloat32(name: UnaryName, from: Float32Array, out: Float32Array): void {
  const simd = from.length < long ? undefined : arena('simd')
  if (simd && name !== 'lgamma') {
    float32UnaryBlocks(simd, name, from, out)
    return
  }
  const f = float32Unary[name]
  for (let i = 0; i < out.length; i++) out[i] = f(from[i]!)
  canonicalizeNaN(out)
}

function elementwise(name: UnaryName): KnownOp {
  const kernel = (inputs: readonly Tensor[], _: unknown, out?: Tensor): Tensor => {
    const [x] = inputs as [Tensor]
    checkOut(name, out, x.dtype, x.shape)
    const data = out ? out.data : allocate(x.dtype, x.size)
    const low = formatOf(x.dtype)
    if (x.dtype === 'bfloat16') {
      mapArray(name, x.data as Uint16Array, data as Uint16Array)
    } else if (low) {
      lookUp(unaryTable(name, low), x.data as Codes, data as Codes)
    } else if (x.dtype === 'float32') {
      mapFloat32(name, x.data as Float32Array, data as Float32Array)
    } else {
      const f = isFloat(x.dtype) ? unary[name] : integerFunction(name, x.dtype)
      if (!f) throw new TypeError(`${name}: needs a floating-point dtype, cast first [${x.dtype}]`)
      const [from, to] = [elementsIn(x.data), elementsIn(data)]
      for (let i = 0; i < to.length; i++) to[i] = f(from[i]!)
      canonicalizeNaN(data)
    }
    return out ?? new Tensor(x.dtype, x.shape, data)
  }
  return { name, form: 'elementwise', rounds: rounding[name] ?? 'once', kernel }
}

/** The unary functions as operation records. */
export const unaryOps: Readonly<Record<UnaryName, KnownOp>> = Object.fromEntries(
  unaryNames.map((name) => [name, elementwise(name)]),
) as Record<UnaryName, KnownOp>

/**
 * An elementwise function of one tensor.
 *
 * Shape     that of x. Dtype that of x, a float; square abs neg sign relu floor ceil rint trunc take integers too (wrapping).
 * Rounding  once, correctly, from the real value: formats of up to 16 bits by a table built on first use, float32 by
 *           `float32Unary`, which was compared with MPFR over a part of all operands (docs/exactness.md). float64: within 1 to 2
 *           ulp, and engines may differ in the last bit.
 * Special   C99 Annex F; NaN gives the canonical NaN. `out` may be x itself.
 */
export type Unary = <D extends DType, O extends D = D>(x: Tensor<D>, options?: OutOption<O>) => Tensor<D>

function named(name: UnaryName): Unary {
  const of = <D extends DType>(x: Tensor<D>, options?: OutOption<D>): Tensor<D> => {
    checkOutOption(name, options)
    return apply(unaryOps[name], operands(name, [x]), undefined, options?.out) as Tensor<D>
  }
  return Object.defineProperty(of, 'name', { value: name })
}

/** e to the power x. */
export const exp: Unary = named('exp')
/** 2 to the power x. */
export const exp2: Unary = named('exp2')
/** exp(x) - 1, accurate near 0. */
export const expm1: Unary = named('expm1')
/** Natural logarithm. */
export const log: Unary = named('log')
/** Logarithm to base 2. */
export const log2: Unary = named('log2')
/** Logarithm to base 10. */
export const log10: Unary = named('log10')
/** log(1 + x), accurate near 0. */
export const log1p: Unary = named('log1p')
/** Square root, correctly rounded in every dtype. */
export const sqrt: Unary = named('sqrt')
/** 1 / sqrt(x); Inf with the sign of a zero x. */
export const rsqrt: Unary = named('rsqrt')
/** Cube root. */
export const cbrt: Unary = named('cbrt')
/** 1 / x, correctly rounded in every dtype. */
export const reciprocal: Unary = named('reciprocal')
/** Sine of x radians. */
export const sin: Unary = named('sin')
/** Cosine of x radians. */
export const cos: Unary = named('cos')
/** Tangent of x radians. */
export const tan: Unary = named('tan')
/** Inverse sine, in radians. */
export const asin: Unary = named('asin')
/** Inverse cosine, in radians. */
export const acos: Unary = named('acos')
/** Inverse tangent, in radians. */
export const atan: Unary = named('atan')
/** Hyperbolic sine. */
export const sinh: Unary = named('sinh')
/** Hyperbolic cosine. */
export const cosh: Unary = named('cosh')
/** Hyperbolic tangent. */
export const tanh: Unary = named('tanh')
/** Inverse hyperbolic sine. */
export const asinh: Unary = named('asinh')
/** Inverse hyperbolic cosine. */
export const acosh: Unary = named('acosh')
/** Inverse hyperbolic tangent. */
export const atanh: Unary = named('atanh')
/** Logistic function 1 / (1 + exp(-x)). */
export const sigmoid: Unary = named('sigmoid')
/** log(1 + exp(x)). */
export const softplus: Unary = named('softplus')
/** x sigmoid(x); -0 at -Inf. */
export const silu: Unary = named('silu')
/** x / 2 (1 + erf(x / sqrt 2)); -0 at -Inf. */
export const gelu: Unary = named('gelu')
/** The tanh form of gelu: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). */
export const geluTanh: Unary = named('geluTanh')
/** Error function. */
export const erf: Unary = named('erf')
/** 1 - erf(x), accurate in the tail. */
export const erfc: Unary = named('erfc')
/** log |gamma(x)|; Inf at 0, at negative integers and at both infinities. */
export const lgamma: Unary = named('lgamma')
/** x * x, correctly rounded in every dtype. */
export const square: Unary = named('square')
/** Magnitude. */
export const abs: Unary = named('abs')
/** -x. */
export const neg: Unary = named('neg')
/** -1, 0 or 1 by the sign of x; keeps the sign of zero. */
export const sign: Unary = named('sign')
/** The largest integer not above x. */
export const floor: Unary = named('floor')
/** The smallest integer not below x; keeps -0. */
export const ceil: Unary = named('ceil')
/** The nearest integer, ties to even; keeps -0. */
export const rint: Unary = named('rint')
/** x without its fraction; keeps -0. */
export const trunc: Unary = named('trunc')
/** max(x, 0); +0 for -0. */
export const relu: Unary = named('relu')
