import {
  add,
  broadcastTo,
  cast,
  clip,
  type DType,
  div,
  dtypeFacts,
  isFloat,
  matmul,
  max,
  maximum,
  min,
  minimum,
  mul,
  reshape,
  rint,
  sizeOf,
  slice,
  sub,
  type Tensor,
  tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { dtypeOfNumber } from '../file/storedTensor.js'
import type { Call, Operator } from './call.js'
import { convolved, perFilter } from './products.js'
import { isNarrow, widened } from './wide.js'
import { windowPlaces, windowsOf } from './windows.js'

/** A scale or zero point broadcastable to x: one of all, one of each index of an axis, or one of each block along it. */
function spread(call: Call, x: Tensor, facts: Tensor): Tensor {
  const block = call.number('block_size', 0)
  if (facts.size === 1) return reshape(facts, [])
  const axis = call.axis(call.number('axis', 1), x.rank)
  if (block === 0) {
    return reshape(
      facts,
      x.shape.map((n, i) => (i === axis ? n : 1)),
    )
  }
  const before = facts.shape.slice(0, axis + 1)
  const behind = facts.shape.slice(axis + 1)
  const repeated = broadcastTo(reshape(facts, [...before, 1, ...behind]), [...before, block, ...behind])
  const whole = reshape(repeated, [...before.slice(0, -1), before.at(-1)! * block, ...behind])
  // The last block may reach beyond the end.
  return whole.shape[axis] === x.shape[axis] ? whole : cutTo(whole, axis, x.shape[axis]!)
}

function cutTo(x: Tensor, axis: number, length: number): Tensor {
  const lead = sizeOf(x.shape.slice(0, axis))
  const flat = reshape(x, [lead, x.shape[axis]!, sizeOf(x.shape.slice(axis + 1))])
  const shape = x.shape.map((n, i) => (i === axis ? length : n))
  return reshape(slice(flat, [null, [0, length]]), shape)
}

/** round(x / scale) + zero, saturated to the range of the dtype; floating-point targets are one cast of x / scale. */
export function quantized(
  x: Tensor,
  scale: Tensor,
  zero: Tensor | undefined,
  dtype: DType,
  saturate: boolean,
): Tensor {
  const ratio = div(widened(x), cast(scale, widened(x).dtype))
  if (isFloat(dtype)) return cast(ratio, dtype, { saturate })
  const { lowest, max: highest } = dtypeFacts(dtype)
  const whole = rint(ratio)
  const shifted = zero ? add(whole, cast(zero, whole.dtype)) : whole
  return cast(clip(shifted, lowest, highest), dtype)
}

function quantize(call: Call, x?: Tensor, scale?: Tensor, zero?: Tensor): Tensor {
  const value = call.need(x, 0)
  const named = call.number('output_dtype', 0)
  const dtype = zero?.dtype ?? (named === 0 ? 'uint8' : dtypeOfNumber(named))
  if (dtype === undefined) throw call.error('gives elements that no tensor can have', named)
  const factor = spread(call, value, call.need(scale, 1))
  return quantized(value, factor, zero && spread(call, value, zero), dtype, call.flag('saturate', 1))
}

/** (x - zero) scale: one rounding to the dtype of the scale, or to `output_dtype`. */
export function dequantized(x: Tensor, scale: Tensor, zero: Tensor | undefined, dtype: DType): Tensor {
  const exact = isFloat(x.dtype) ? 'float32' : 'int32'
  const whole = zero && !isFloat(x.dtype) ? sub(cast(x, exact), cast(zero, exact)) : cast(x, exact)
  const wide = isNarrow(dtype) ? 'float32' : dtype
  return cast(mul(cast(whole, wide), cast(scale, wide)), dtype)
}

function dequantize(call: Call, x?: Tensor, scale?: Tensor, zero?: Tensor): Tensor {
  const value = call.need(x, 0)
  const factor = call.need(scale, 1)
  const named = call.number('output_dtype', 0)
  const dtype = named === 0 ? factor.dtype : dtypeOfNumber(named)
  if (dtype === undefined) throw call.error('gives elements that no tensor can have', named)
  return dequantized(value, spread(call, value, factor), zero && spread(call, value, zero), dtype)
}

/** uint8 with the range of the elements, 0 in it. */
function dynamicQuantize(call: Call, x?: Tensor): readonly Tensor[] {
  const value = call.need(x, 0)
  const low = minimum(min(value), 0)
  const high = maximum(max(value), 0)
  const scale = div(sub(high, low), 255)
  const zero = cast(clip(rint(div(sub(0, low), scale)), 0, 255), 'uint8')
  return [quantized(value, scale, zero, 'uint8', true), scale, zero]
}

/** A fact of each row: a vector as a column. */
function ofRows(x: Tensor): Tensor {
  return x.rank === 1 && x.size > 1 ? reshape(x, [x.size, 1]) : x
}

function quantizedMatmul(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const [a, aScale, aZero, b, bScale, bZero, scale, zero] = inputs.map((x, i) => call.need(x, i)) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ]
  const left = sub(cast(a, 'int32'), cast(ofRows(aZero), 'int32'))
  const right = sub(cast(b, 'int32'), cast(bZero, 'int32'))
  const product = cast(matmul(left, right), 'float32')
  const factor = div(mul(widened(ofRows(aScale)), widened(bScale)), widened(ofRows(scale)))
  return requantized(product, factor, ofRows(zero))
}

function requantized(product: Tensor, factor: Tensor, zero: Tensor): Tensor {
  const { lowest, max: highest } = dtypeFacts(zero.dtype)
  return cast(clip(add(rint(mul(product, factor)), cast(zero, 'float32')), lowest, highest), zero.dtype)
}

function quantizedConv(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const [x, xScale, xZero, w, wScale, wZero, scale, zero] = inputs
    .slice(0, 8)
    .map((one, i) => call.need(one, i)) as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]
  const windows = windowsOf(call, x.shape.slice(2), w.shape.slice(2))
  const places = windowPlaces(x.shape.slice(2), windows)
  const value = sub(cast(x, 'int32'), reshape(cast(xZero, 'int32'), []))
  const weights = sub(cast(w, 'int32'), perFilter(cast(wZero, 'int32'), w.rank))
  const sums = convolved(value, weights, call.number('group', 1), places, windows)
  const bias = inputs[8]
  const whole = bias ? add(sums, perFilter(bias, x.rank - 1)) : sums
  const factor = div(mul(reshape(xScale, []), perFilter(wScale, x.rank - 1)), reshape(scale, []))
  return requantized(cast(whole, 'float32'), factor, reshape(zero, []))
}

/**
 * ONNX Runtime's product with weights of 2, 4 or 8 bits in blocks: b [n, blocks, block bytes], scales [n, blocks], zero points packed
 * alike, 2^(bits - 1) where there are none. Weights are dequantized in the dtype of the scales.
 */
function matmulBits(
  call: Call,
  a?: Tensor,
  b?: Tensor,
  scales?: Tensor,
  zeros?: Tensor,
  ...rest: (Tensor | undefined)[]
): Tensor {
  const [value, packed, factors] = [call.need(a, 0), call.need(b, 1), call.need(scales, 2)]
  const [k, n] = [call.number('K', 0), call.number('N', 0)]
  const [bits, block] = [call.number('bits', 4), call.number('block_size', 32)]
  const blocks = Math.ceil(k / block)
  const codes = unpacked(call.known(packed, 'its weights'), bits)
  const points =
    zeros && isFloat(zeros.dtype) ? undefined : zeros && unpacked(call.known(zeros, 'its zero points'), bits)
  const perRow = points ? points.length / n : 0
  const centred = new Float64Array(n * blocks * block)
  for (let i = 0; i < centred.length; i++) {
    const row = Math.floor(i / (blocks * block))
    const at = Math.floor(i / block) % blocks
    centred[i] = codes[i]! - (points ? points[row * perRow + at]! : zeros ? 0 : 2 ** (bits - 1))
  }
  const dtype = widened(factors).dtype
  let weights: Tensor = tensor(centred, { dtype, shape: [n, blocks, block] })
  if (zeros && isFloat(zeros.dtype)) weights = sub(weights, reshape(cast(zeros, dtype), [n, blocks, 1]))
  const whole = reshape(mul(weights, reshape(widened(factors), [n, blocks, 1])), [n, blocks * block])
  const columns = cast(slice(whole, [null, [0, k]]), factors.dtype)
  const product = matmul(widened(value), widened(transpose(columns)))
  const bias = rest[1]
  return cast(bias ? add(product, widened(bias)) : product, value.dtype)
}

function unpacked(bytes: readonly number[], bits: number): number[] {
  const per = 8 / bits
  return bytes.flatMap((byte) =>
    Array.from({ length: per }, (_, i) => (byte >> (bits * i)) & (2 ** bits - 1)),
  )
}

/** Quantization: codes and scales as integers, float8 or float4. */
export const quantizationOperators: Readonly<Record<string, Operator>> = {
  DequantizeLinear: dequantize,
  DynamicQuantizeLinear: dynamicQuantize,
  QLinearConv: quantizedConv,
  QLinearMatMul: quantizedMatmul,
  QuantizeLinear: quantize,
}

/** Of ONNX Runtime's domain. */
export const matmulNBits: Operator = matmulBits
