import { checkFloatDType, checkTensor, isFloat, type Tensor } from '../../../tensors/tensor/index.js'
import { type Heads, headsOf } from './heads.js'

/** Throws unless queries, keys and values are tensors of one float dtype whose shapes fit. */
export function checkOperands(op: string, q: unknown, k: unknown, v: unknown): Heads {
  checkTensor(op, q)
  checkTensor(op, k)
  checkTensor(op, v)
  for (const other of [k, v] as const) {
    if (other.dtype !== q.dtype) {
      throw new TypeError(`${op}: dtypes differ, cast one of them [${q.dtype} and ${other.dtype}]`)
    }
  }
  checkFloats(op, q)
  return headsOf(op, q, k, v)
}

function checkFloats(op: string, { dtype }: Tensor): void {
  if (!isFloat(dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${dtype}]`)
  checkFloatDType(op, 'dtype', dtype)
}
