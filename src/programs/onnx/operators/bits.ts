import {
  add,
  bitwiseAnd,
  bitwiseNot,
  bitwiseOr,
  bitwiseXor,
  equal,
  leftShift,
  less,
  logicalAnd,
  logicalNot,
  notEqual,
  rem,
  rightShiftArithmetic,
  rightShiftLogical,
  type Tensor,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'

const binary =
  (f: (a: Tensor, b: Tensor) => Tensor): Operator =>
  (call, a, b) =>
    f(call.need(a, 0), call.need(b, 1))

/** The remainder: with `fmod` of the dividend's sign, as C's, else of the divisor's, as Python's. */
function modulo(call: Call, a?: Tensor, b?: Tensor): Tensor {
  const [left, right] = [call.need(a, 0), call.need(b, 1)]
  const rest = rem(left, right)
  if (call.flag('fmod')) return rest
  const opposite = logicalNot(equal(less(rest, 0), less(right, 0)))
  return where(logicalAnd(notEqual(rest, 0), opposite), add(rest, right), rest)
}

function shifted(call: Call, a?: Tensor, b?: Tensor): Tensor {
  const [left, right] = [call.need(a, 0), call.need(b, 1)]
  const direction = call.text('direction', '')
  if (direction !== 'LEFT' && direction !== 'RIGHT') throw call.error('has an unknown direction', direction)
  if (direction === 'LEFT') return leftShift(left, right)
  return (left.dtype.startsWith('u') ? rightShiftLogical : rightShiftArithmetic)(left, right)
}

/** Operators on the bits of integers, and remainders. */
export const bitOperators: Readonly<Record<string, Operator>> = {
  BitShift: shifted,
  BitwiseAnd: binary((a, b) => bitwiseAnd(a, b)),
  BitwiseNot: (call, x) => bitwiseNot(call.need(x, 0) as Tensor<'int32'>),
  BitwiseOr: binary((a, b) => bitwiseOr(a, b)),
  BitwiseXor: binary((a, b) => bitwiseXor(a, b)),
  Mod: modulo,
}
