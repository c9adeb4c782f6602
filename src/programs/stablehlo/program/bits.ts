import { logicalAnd, logicalNot, logicalOr, notEqual, type Tensor } from '../../../tensors/tensor/index.js'
import { type Lowering, single } from './lowering.js'
import { real } from './value.js'

type Binary = (a: Tensor, b: Tensor) => Tensor

const pending: Binary = (a) => {
  throw new TypeError(`has no integers yet [${a.dtype}]`)
}

function binary(bool: Binary | undefined, whole: Binary): Lowering {
  return () =>
    single(([a, b]) => {
      const [x, y] = [real(a), real(b)]
      return bool && x.dtype === 'bool' ? bool(x, y) : whole(x, y)
    })
}

export const bitwise = {
  and: binary((a, b) => logicalAnd(a, b), pending),
  or: binary((a, b) => logicalOr(a, b), pending),
  xor: binary((a, b) => notEqual(a, b), pending),
  shiftLeft: binary(undefined, pending),
  shiftRightArithmetic: binary(undefined, pending),
  shiftRightLogical: binary(undefined, pending),
  not: (() =>
    single(([x]) => {
      const value = real(x)
      return value.dtype === 'bool' ? logicalNot(value) : pending(value, value)
    })) satisfies Lowering as Lowering,
  popcnt: binary(undefined, pending),
  countLeadingZeros: binary(undefined, pending),
} as Readonly<Record<'and' | 'or' | 'xor' | 'shiftLeft' | 'shiftRightArithmetic' | 'shiftRightLogical' | 'not' | 'popcnt' | 'countLeadingZeros', Lowering>>
