import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { checkOutOption } from '../storage/checkCall.js'
import {
  allocate,
  type BigDType,
  type DType,
  elementsIn,
  type IntegerDType,
  isBigDType,
  isInteger,
  isPacked,
  wrapping,
} from '../storage/dtype.js'
import { dtypeFacts } from '../storage/dtypeFacts.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { type Binary, binaryOp, namedBinary } from './binaryOp.js'
import { integerLoop } from './integerLoop.js'
import { pointwise } from './loops.js'

type IntegerName =
  | 'bitwiseAnd'
  | 'bitwiseOr'
  | 'bitwiseXor'
  | 'bitwiseNot'
  | 'leftShift'
  | 'rightShiftArithmetic'
  | 'rightShiftLogical'
  | 'populationCount'
  | 'countLeadingZeros'
  | 'truncDiv'

type Pair<T> = (a: T, b: T) => T

function refused(name: string, dtype: DType, bools: boolean): TypeError {
  return new TypeError(`${name}: needs integers${bools ? ' or bool' : ''} [${dtype}]`)
}

/** An operation on two integers, and on bool where `bools` says so; storage keeps the last bits of a result. */
function integers(
  name: IntegerName,
  bools: boolean,
  int: (dtype: IntegerDType) => Pair<number>,
  big: (dtype: BigDType) => Pair<bigint>,
): KnownOp {
  return binaryOp(name, 'decides', (dtype) => {
    if (bools && dtype === 'bool') return pointwise(int('uint8'))
    if (!isInteger(dtype)) throw refused(name, dtype, bools)
    return integerLoop(dtype, int(dtype), isBigDType(dtype) ? big(dtype) : undefined)
  })
}

/** The same bits as an integer with a sign, and as one without. */
const withSign = (dtype: IntegerDType): ((value: number) => number) => {
  const shift = 32 - dtypeFacts(dtype).bits
  return (value) => (value << shift) >> shift
}
const withoutSign = (dtype: IntegerDType): ((value: number) => number) => {
  const shift = 32 - dtypeFacts(dtype).bits
  return (value) => (value << shift) >>> shift
}

/** A shift: by amounts from the width on, and by negative ones, which are large as unsigned numbers, what `past` says. */
function shift(
  name: IntegerName,
  view: (dtype: IntegerDType) => (value: number) => number,
  by: Pair<number>,
  past: (value: number) => number,
  bigView: (width: number, value: bigint) => bigint,
  bigBy: Pair<bigint>,
): KnownOp {
  return integers(
    name,
    false,
    (dtype) => {
      const { bits } = dtypeFacts(dtype)
      const seen = view(dtype)
      return (a, b) => (b >= 0 && b < bits ? by(seen(a), b) : past(seen(a)))
    },
    () => (a, b) => {
      const value = bigView(64, a)
      return b >= 0n && b < 64n ? bigBy(value, b) : BigInt(past(value < 0n ? -1 : 0))
    },
  )
}

/** A function of one integer's bits. */
function ofBits(
  name: IntegerName,
  bools: boolean,
  int: (dtype: IntegerDType) => (value: number) => number,
  big: (value: bigint) => bigint,
): KnownOp {
  return {
    name,
    form: 'elementwise',
    rounds: 'decides',
    kernel: ([x], _, out) => {
      const { dtype, shape } = x!
      checkOut(name, out, dtype, shape)
      if (!isInteger(dtype) && !(bools && dtype === 'bool')) throw refused(name, dtype, bools)
      const data = out?.data ?? allocate(dtype, x!.size)
      const [from, to] = [elementsIn(x!.data), elementsIn(data)]
      const f = functionFor(dtype)
      for (let i = 0; i < to.length; i++) to[i] = f(from[i]!)
      return out ?? new Tensor<DType>(dtype, shape, data)
    },
  }

  function functionFor(dtype: IntegerDType | 'bool'): (value: number) => number {
    if (dtype === 'bool') return (value) => 1 - value
    if (isBigDType(dtype)) return big as unknown as (value: number) => number
    const f = int(dtype)
    if (!isPacked(dtype)) return f
    const wrap = wrapping(dtype)
    return (value) => wrap(f(value))
  }
}

function onesIn(value: number): number {
  let count = 0
  for (let left = value; left !== 0; left &= left - 1) count++
  return count
}

const halves = (value: bigint): readonly [high: number, low: number] => [
  Number(BigInt.asUintN(64, value) >> 32n),
  Number(BigInt.asUintN(32, value)),
]

/** The operations on integers' bits, and their quotient, as records. */
export const integerOps: Readonly<Record<IntegerName, KnownOp>> = {
  // Written with operators that bigints have too.
  bitwiseAnd: integers(
    'bitwiseAnd',
    true,
    () => (a, b) => a & b,
    () => (a, b) => a & b,
  ),
  bitwiseOr: integers(
    'bitwiseOr',
    true,
    () => (a, b) => a | b,
    () => (a, b) => a | b,
  ),
  bitwiseXor: integers(
    'bitwiseXor',
    true,
    () => (a, b) => a ^ b,
    () => (a, b) => a ^ b,
  ),
  bitwiseNot: ofBits(
    'bitwiseNot',
    true,
    () => (x) => ~x,
    (x) => ~x,
  ),
  leftShift: shift(
    'leftShift',
    withSign,
    (a, b) => a << b,
    () => 0,
    BigInt.asIntN,
    (a, b) => a << b,
  ),
  rightShiftArithmetic: shift(
    'rightShiftArithmetic',
    withSign,
    (a, b) => a >> b,
    (a) => (a < 0 ? -1 : 0),
    BigInt.asIntN,
    (a, b) => a >> b,
  ),
  rightShiftLogical: shift(
    'rightShiftLogical',
    withoutSign,
    (a, b) => a >>> b,
    () => 0,
    BigInt.asUintN,
    (a, b) => a >> b,
  ),
  populationCount: ofBits(
    'populationCount',
    false,
    (dtype) => {
      const seen = withoutSign(dtype)
      return (x) => onesIn(seen(x))
    },
    (x) => {
      const [high, low] = halves(x)
      return BigInt(onesIn(high) + onesIn(low))
    },
  ),
  countLeadingZeros: ofBits(
    'countLeadingZeros',
    false,
    (dtype) => {
      const seen = withoutSign(dtype)
      const above = 32 - dtypeFacts(dtype).bits
      return (x) => Math.clz32(seen(x)) - above
    },
    (x) => {
      const [high, low] = halves(x)
      return BigInt(high === 0 ? 32 + Math.clz32(low) : Math.clz32(high))
    },
  ),
  truncDiv: integers(
    'truncDiv',
    false,
    () => (a, b) => (b === 0 ? -1 : Math.trunc(a / b)),
    () => (a, b) => (b === 0n ? -1n : a / b),
  ),
}

/** A function of the bits of each element; the dtype is kept. */
export type Bitwise = <D extends IntegerDType | 'bool', O extends D = D>(
  x: Tensor<D>,
  options?: OutOption<O>,
) => Tensor<D>

function named(op: KnownOp): Bitwise {
  const of = <D extends DType>(x: Tensor<D>, options?: OutOption<D>): Tensor<D> => {
    checkOutOption(op.name, options)
    return apply(op, operands(op.name, [x]), undefined, options?.out) as Tensor<D>
  }
  return Object.defineProperty(of, 'name', { value: op.name }) as Bitwise
}

/**
 * Bits that are 1 in both; of bool whether both are true.
 *
 * Shape     broadcast of both. Dtype both alike, integers or bool; a number takes the tensor's.
 *
 * @example bitwiseAnd(tensor([12, -1], { dtype: 'int8' }), 10).toNested() // [8, 10]
 */
export const bitwiseAnd: Binary = namedBinary(integerOps.bitwiseAnd)

/**
 * Bits that are 1 in either, as `bitwiseAnd`.
 *
 * @example bitwiseOr(tensor([12], { dtype: 'uint4' }), 10).item() // 14
 */
export const bitwiseOr: Binary = namedBinary(integerOps.bitwiseOr)

/**
 * Bits that are 1 in one of both, as `bitwiseAnd`.
 *
 * @example bitwiseXor(tensor([12], { dtype: 'uint4' }), 10).item() // 6
 */
export const bitwiseXor: Binary = namedBinary(integerOps.bitwiseXor)

/**
 * Every bit the other way round; of bool not x.
 *
 * @example bitwiseNot(tensor([0, 5], { dtype: 'uint8' })).toNested() // [255, 250]
 */
export const bitwiseNot: Bitwise = named(integerOps.bitwiseNot)

/**
 * a with its bits b places up, zeros behind them: lax.shift_left.
 *
 * Shape     broadcast of both. Dtype both alike, integers; a number takes the tensor's.
 * Special   0 where b is the width or more, or negative.
 *
 * @example leftShift(tensor([3, 64], { dtype: 'int8' }), 1).toNested() // [6, -128]
 * @example leftShift(tensor([1], { dtype: 'int32' }), 32).item() // 0
 */
export const leftShift: Binary = namedBinary(integerOps.leftShift)

/**
 * a with its bits b places down, copies of the first bit before them, of an unsigned a too: lax.shift_right_arithmetic.
 *
 * Special   0 or all ones, by the first bit, where b is the width or more, or negative. Else as `leftShift`.
 *
 * @example rightShiftArithmetic(tensor([-8, 7], { dtype: 'int8' }), 1).toNested() // [-4, 3]
 */
export const rightShiftArithmetic: Binary = namedBinary(integerOps.rightShiftArithmetic)

/**
 * a with its bits b places down, zeros before them: lax.shift_right_logical.
 *
 * Special   0 where b is the width or more, or negative. Else as `leftShift`.
 *
 * @example rightShiftLogical(tensor([-8, 7], { dtype: 'int8' }), 1).toNested() // [124, 3]
 */
export const rightShiftLogical: Binary = namedBinary(integerOps.rightShiftLogical)

/**
 * How many bits are 1, in the dtype of x: what int2 cannot hold wraps.
 *
 * @example populationCount(tensor([7, -1], { dtype: 'int16' })).toNested() // [3, 16]
 */
export const populationCount: Bitwise = named(integerOps.populationCount)

/**
 * How many bits stand above the first 1: the width for 0, which wraps in int2.
 *
 * @example countLeadingZeros(tensor([1, 0, -1], { dtype: 'int8' })).toNested() // [7, 8, 0]
 */
export const countLeadingZeros: Bitwise = named(integerOps.countLeadingZeros)

/**
 * Quotient of integers without its fraction, toward zero: lax.div of integers. The remainder is `rem`.
 *
 * Shape     broadcast of both. Dtype both alike, integers; a number takes the tensor's. Floats: `trunc(div(a, b))`.
 * Special   all ones where b is 0, which is -1 with a sign; the least integer by -1 is itself.
 *
 * @example truncDiv(tensor([7, -7, 7], { dtype: 'int8' }), tensor([2, 2, 0], { dtype: 'int8' })).toNested() // [3, -3, -1]
 */
export const truncDiv: Binary = namedBinary(integerOps.truncDiv)
