import {
  bitwiseAnd,
  bitwiseNot,
  bitwiseOr,
  bitwiseXor,
  countLeadingZeros,
  type IntegerDType,
  leftShift,
  logicalAnd,
  logicalNot,
  logicalOr,
  notEqual,
  populationCount,
  rightShiftArithmetic,
  rightShiftLogical,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'

type Binary = (a: Tensor, b: Tensor) => Tensor

/** An operation on the bits of integers, and on bools where they have it. */
function binary(whole: Binary, bool?: Binary): Lowering {
  return () =>
    single(([a, b]) => {
      const [x, y] = [real(a), real(b)]
      return bool && x.dtype === 'bool' ? bool(x, y) : whole(x, y)
    })
}

function unary(whole: (x: Tensor) => Tensor, bool?: (x: Tensor) => Tensor): Lowering {
  return () =>
    single(([x]) => {
      const value = real(x)
      return bool && value.dtype === 'bool' ? bool(value) : whole(value)
    })
}

/** The operation itself refuses what are no integers. */
const integers = (x: Tensor): Tensor<IntegerDType> => x as Tensor<IntegerDType>

type BitName =
  | 'and'
  | 'or'
  | 'xor'
  | 'not'
  | 'shiftLeft'
  | 'shiftRightArithmetic'
  | 'shiftRightLogical'
  | 'popcnt'
  | 'countLeadingZeros'

/** Operations on bits: shifts by the width or more give 0, or the sign. */
export const bitwise: Readonly<Record<BitName, Lowering>> = {
  and: binary((a, b) => bitwiseAnd(a, b), logicalAnd),
  or: binary((a, b) => bitwiseOr(a, b), logicalOr),
  xor: binary((a, b) => bitwiseXor(a, b), notEqual),
  not: unary((x) => bitwiseNot(integers(x)), logicalNot),
  shiftLeft: binary((a, b) => leftShift(a, b)),
  shiftRightArithmetic: binary((a, b) => rightShiftArithmetic(a, b)),
  shiftRightLogical: binary((a, b) => rightShiftLogical(a, b)),
  popcnt: unary((x) => populationCount(integers(x))),
  countLeadingZeros: unary((x) => countLeadingZeros(integers(x))),
}
