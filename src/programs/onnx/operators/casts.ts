import {
  bitcast,
  cast,
  type DType,
  dtypeFacts,
  equal,
  full,
  isFloat,
  type Tensor,
  where,
} from '../../../tensors/tensor/index.js'
import { dataTypeName, dtypeOfNumber } from '../file/storedTensor.js'
import type { Call, Operator } from './call.js'

const wideOf = (x: Tensor): DType => (x.dtype === 'float64' ? 'float64' : 'float32')

/** ONNX's names of the ways to round to powers of two. */
const scaleRoundings: Readonly<Record<string, 'up' | 'down' | 'nearest-away'>> = {
  up: 'up',
  down: 'down',
  nearest: 'nearest-away',
}

function castTo(call: Call, x: Tensor, dtype: DType): Tensor {
  if (dtype === 'float8_e8m0fnu') {
    const rounding = scaleRoundings[call.text('round_mode', 'up')]
    if (!rounding) throw call.error('has an unknown rounding', call.text('round_mode', 'up'))
    const saturate = call.flag('saturate', 1)
    // The format has no zero: its smallest value stands for it.
    const positive = saturate
      ? where(equal(x, 0), full([], 2 ** -127, { dtype: wideOf(x) }), cast(x, wideOf(x)))
      : x
    return cast(positive, dtype, { rounding, saturate })
  }
  // Integers of 2 and 4 bits wrap, where wider ones saturate.
  if (isFloat(x.dtype) && !isFloat(dtype) && dtypeFacts(dtype).bits < 8 && dtype !== 'bool') {
    return cast(cast(x, 'int32'), dtype)
  }
  const narrow = isFloat(dtype) && dtypeFacts(dtype).bits <= 8
  return narrow && isFloat(x.dtype) ? cast(x, dtype, { saturate: call.flag('saturate', 1) }) : cast(x, dtype)
}

function named(call: Call): DType {
  const number = call.number('to', 0)
  const dtype = dtypeOfNumber(number)
  if (dtype === undefined) throw call.error('gives elements that no tensor can have', dataTypeName(number))
  return dtype
}

/** Changes of dtype. */
export const castOperators: Readonly<Record<string, Operator>> = {
  BitCast: (call, x) => {
    const value = call.need(x, 0)
    // A bool is stored in a byte.
    return bitcast(value.dtype === 'bool' ? cast(value, 'uint8') : value, named(call))
  },
  Cast: (call, x) => castTo(call, call.need(x, 0), named(call)),
  CastLike: (call, x, like) => castTo(call, call.need(x, 0), call.need(like, 1).dtype),
}
