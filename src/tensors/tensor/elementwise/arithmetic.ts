import * as bf16 from '../../../bf16/index.js'
import {
  decidedAtan2,
  decidedPow,
  float32Atan2,
  float32Hypot,
  float32Pow,
  ieeePow,
  hypot as plainHypot,
} from '../../../numbers/functions/index.js'
import type { BinaryKernel } from '../../../numbers/simd/index.js'
import { type DType, formatOf, isInteger } from '../storage/dtype.js'
import type { KnownOp } from '../storage/tensor.js'
import { type Binary, binaryOp, namedBinary } from './binaryOp.js'
import { float16Loop, pairLoop, scalarLoop } from './formatLoop.js'
import { integerLoop } from './integerLoop.js'
import { float32Loop, floatLoops, type Loop, pointwise } from './loops.js'

/** An arithmetic operation of two operands, by what it does to numbers of each kind. */
interface Rule {
  readonly name: string
  readonly rounds: 'never' | 'once' | 'decides'
  /** The exact result rounded to float64, which rounds innocuously to any narrower format. */
  readonly float: (a: number, b: number) => number
  /** The same for formats of up to 16 bits, where the rounding of `float` to float64 may not be innocuous. */
  readonly narrow?: (a: number, b: number) => number
  /** The same for float32, rounded once, where `float` is not correctly rounded. */
  readonly float32?: (a: number, b: number) => number
  /** Integer arithmetic, of whose results the last bits are kept; absent where integers must be cast. */
  readonly int?: (a: number, b: number) => number
  /** The same of 64-bit integers, where it is not what `int` writes down. */
  readonly big?: (a: bigint, b: bigint) => bigint
  /** The simd kernel that serves float16 and float32. */
  readonly kernel?: BinaryKernel
  readonly bfloat16?: {
    readonly codes: (a: number, b: number) => number
    readonly arrays: (a: Uint16Array, b: Uint16Array, out?: Uint16Array) => Uint16Array
  }
}

/** Runs shorter than this go code by code; longer ones to the array functions. */
const shortRun = 32

function binary(rule: Rule): KnownOp {
  // The kernels of float32 make NaNs canonical themselves.
  return binaryOp(rule.name, rule.rounds, (dtype) => loopFor(rule, dtype), rule.kernel !== undefined)
}

function loopFor(rule: Rule, dtype: DType): Loop {
  if (dtype === 'bool') throw new TypeError(`${rule.name}: no arithmetic on bool, cast first [bool]`)
  if (isInteger(dtype)) {
    if (!rule.int) throw new TypeError(`${rule.name}: needs a floating-point dtype, cast first [${dtype}]`)
    return integerLoop(dtype, rule.int, rule.big)
  }
  if (dtype === 'bfloat16' && rule.bfloat16) return bfloat16Loop(rule.bfloat16)
  const low = formatOf(dtype)
  if (low && low.bits <= 8) return pairLoop(rule.narrow ?? rule.float, low)
  if (dtype === 'float16' && rule.kernel) return float16Loop(rule.float, rule.kernel, low!)
  if (low) return scalarLoop(rule.narrow ?? rule.float, low)
  if (dtype === 'float32' && rule.float32) return pointwise(rule.float32)
  const plain = floatLoops[rule.name] ?? pointwise(rule.float)
  return dtype === 'float32' && rule.kernel ? float32Loop(rule.kernel, plain) : plain
}

function bfloat16Loop({ codes, arrays }: NonNullable<Rule['bfloat16']>): Loop {
  const short = pointwise(codes)
  return (a, i, di, b, j, dj, out, k, n) => {
    if (n < shortRun) return short(a, i, di, b, j, dj, out, k, n)
    const left = part(a as Uint16Array, i, di ? n : 1)
    const right = part(b as Uint16Array, j, dj ? n : 1)
    arrays(left, right, part(out as Uint16Array, k, n))
  }
}

/** n codes from `start` on; all of them as they are, since a view costs as much as a short run's arithmetic. */
function part(codes: Uint16Array, start: number, n: number): Uint16Array {
  return n === codes.length ? codes : codes.subarray(start, start + n)
}

function intPow(a: number, b: number): number {
  if (b < 0) throw new RangeError(`pow: integers take no negative exponent, cast first [${b}]`)
  let result = 1
  for (let base = a, e = b; e > 0; e = Math.floor(e / 2)) {
    if (e % 2 === 1) result = Math.imul(result, base)
    base = Math.imul(base, base)
  }
  return result
}

function bigPow(a: bigint, b: bigint): bigint {
  if (b < 0n) throw new RangeError(`pow: integers take no negative exponent, cast first [${b}]`)
  let result = 1n
  for (let base = a, e = b; e > 0n; e >>= 1n) {
    if (e & 1n) result = BigInt.asUintN(64, result * base)
    base = BigInt.asUintN(64, base * base)
  }
  return result
}

export const addOp: KnownOp = binary({
  name: 'add',
  rounds: 'once',
  float: (a, b) => a + b,
  int: (a, b) => a + b,
  kernel: 'add',
  bfloat16: { codes: bf16.add, arrays: bf16.addArrays },
})

/**
 * Sum a + b.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   Inf + -Inf is NaN.
 *
 * @example add(tensor([256], { dtype: 'bfloat16' }), 1).item() // 256
 */
export const add: Binary = namedBinary(addOp)

export const subOp: KnownOp = binary({
  name: 'sub',
  rounds: 'once',
  float: (a, b) => a - b,
  int: (a, b) => a - b,
  kernel: 'sub',
  bfloat16: { codes: bf16.sub, arrays: bf16.subArrays },
})

/**
 * Difference a - b.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   Inf - Inf is NaN.
 *
 * @example sub(tensor([3, 4]), 1).toNested() // [2,3]
 */
export const sub: Binary = namedBinary(subOp)

export const mulOp: KnownOp = binary({
  name: 'mul',
  rounds: 'once',
  float: (a, b) => a * b,
  int: Math.imul,
  big: (a, b) => a * b,
  kernel: 'mul',
  bfloat16: { codes: bf16.mul, arrays: bf16.mulArrays },
})

/**
 * Product a * b.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   0 * Inf is NaN.
 *
 * @example mul(tensor([3, 4]), tensor([[2], [10]])).toNested() // [[6,8],[30,40]]
 */
export const mul: Binary = namedBinary(mulOp)

export const divOp: KnownOp = binary({
  name: 'div',
  rounds: 'once',
  float: (a, b) => a / b,
  kernel: 'div',
  bfloat16: { codes: bf16.div, arrays: bf16.divArrays },
})

/**
 * Quotient a / b; integers must be cast first.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   x / 0 is a signed Inf, 0 / 0 NaN.
 *
 * @example div(tensor([1, 2]), 4).toNested() // [0.25,0.5]
 */
export const div: Binary = namedBinary(divOp)

export const minimumOp: KnownOp = binary({
  name: 'minimum',
  rounds: 'never',
  float: Math.min,
  int: Math.min,
  big: (a, b) => (a < b ? a : b),
  kernel: 'min',
  bfloat16: { codes: bf16.min, arrays: bf16.minArrays },
})

/**
 * The smaller of a and b: IEEE 754-2019 minimum.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   a NaN on either side wins; -0 < +0.
 *
 * @example minimum(tensor([1, 5]), 3).toNested() // [1,3]
 */
export const minimum: Binary = namedBinary(minimumOp)

export const maximumOp: KnownOp = binary({
  name: 'maximum',
  rounds: 'never',
  float: Math.max,
  int: Math.max,
  big: (a, b) => (a > b ? a : b),
  kernel: 'max',
  bfloat16: { codes: bf16.max, arrays: bf16.maxArrays },
})

/**
 * The larger of a and b: IEEE 754-2019 maximum.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   a NaN on either side wins; -0 < +0.
 *
 * @example maximum(tensor([1, 5]), 3).toNested() // [3,5]
 */
export const maximum: Binary = namedBinary(maximumOp)

export const powOp: KnownOp = binary({
  name: 'pow',
  rounds: 'once',
  float: ieeePow,
  float32: float32Pow,
  narrow: decidedPow,
  int: intPow,
  big: bigPow,
})

/**
 * a to the power b; on integers by wrapping multiplication.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   1 ** NaN and NaN ** 0 are 1, (-1) ** Inf is 1; float64: the engine's `**`, which may be off by its last bit.
 * Throws    RangeError for a negative exponent on integers.
 *
 * @example pow(tensor([2, 3]), 2).toNested() // [4,9]
 */
export const pow: Binary = namedBinary(powOp)

export const atan2Op: KnownOp = binary({
  name: 'atan2',
  rounds: 'once',
  float: Math.atan2,
  float32: float32Atan2,
  narrow: decidedAtan2,
})

/**
 * Angle of the point (b, a), in radians, in [-pi, pi].
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   float64: the engine's Math.atan2, which may be off by its last bit.
 *
 * @example atan2(tensor([0]), tensor([1])).item() // 0
 */
export const atan2: Binary = namedBinary(atan2Op)

export const hypotOp: KnownOp = binary({
  name: 'hypot',
  rounds: 'once',
  float: plainHypot,
  float32: float32Hypot,
})

/**
 * Length of the vector (a, b): sqrt(a^2 + b^2), without overflow or underflow inside.
 *
 * Shape     broadcast of both. Dtype both alike; a number takes the tensor's. Rounding once, nearest even.
 * Special   an infinite operand gives Inf, beside NaN too.
 * Error     float64: 0.51 ulp, 1 where the result is subnormal.
 * Gradient  a / hypot and b / hypot; at (0, 0) half for each, as JAX's.
 *
 * @example hypot(tensor([3e30, 5]), tensor([4e30, 12])).toNested()[1] // 13
 */
export const hypot: Binary = namedBinary(hypotOp)

export const remOp: KnownOp = binary({
  name: 'rem',
  rounds: 'decides',
  float: (a, b) => a % b,
  int: (a, b) => (b === 0 ? a : a % b),
  big: (a, b) => (b === 0n ? a : a % b),
})

/**
 * Remainder a - trunc(a / b) b, with the sign of a: C's fmod, lax.rem.
 *
 * Shape     broadcast of both. Dtype both alike, integers too; a number takes the tensor's. Rounding none: it is exact.
 * Special   a zero keeps the sign of a; Inf of a and 0 of b give NaN, a finite a is itself beside Inf. Of integers a where b is 0.
 * Gradient  1, and -trunc(a / b), as JAX's.
 *
 * @example rem(tensor([7, -7, 5.5]), 3).toNested() // [1, -1, 2.5]
 * @example rem(tensor([-7, 7], { dtype: 'int8' }), tensor([2, 0], { dtype: 'int8' })).toNested() // [-1, 7]
 */
export const rem: Binary = namedBinary(remOp)
