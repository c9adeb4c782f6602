import {
  abs,
  add,
  argmax,
  cast,
  div,
  einsum,
  isFloat,
  matmul,
  max,
  mean,
  mul,
  pow,
  reshape,
  sizeOf,
  sub,
  sum,
  type Tensor,
  tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { inWide, widened } from './wide.js'
import { patches, placesOf, type Windows, windowPlaces, windowsOf } from './windows.js'

function swapped(x: Tensor): Tensor {
  const order = x.shape.map((_, i) => i)
  order.push(...order.splice(-2).reverse())
  return transpose(x, order)
}

function gemm(call: Call, a?: Tensor, b?: Tensor, c?: Tensor): Tensor {
  const [left, right] = [call.need(a, 0), call.need(b, 1)]
  const [alpha, beta] = [call.number('alpha', 1), call.number('beta', 1)]
  const rows = call.flag('transA') ? swapped(left) : left
  const columns = call.flag('transB') ? swapped(right) : right
  // Scaled and added before the one rounding to the dtype.
  let result = matmul(widened(rows), widened(columns))
  if (alpha !== 1) result = mul(result, alpha)
  if (c) result = add(result, beta === 1 ? widened(c) : mul(widened(c), beta))
  return cast(result, left.dtype)
}

/**
 * A convolution as a product of windows and weights: x [batch, channels, ...spatial], weights [outputs, channels / groups, ...kernel].
 * Accumulated in float32 (integers: int32), rounded once.
 */
function convolved(
  x: Tensor,
  weights: Tensor,
  groups: number,
  places: Int32Array,
  windows: Windows,
  fill = 0,
): Tensor {
  const [batch, channels] = x.shape as [number, number]
  const filters = weights.shape[0]!
  const each = channels / groups
  const [count, taps] = [sizeOf(windows.outputs), sizeOf(windows.kernel)]
  const seen = reshape(patches(x, places, [count, taps], fill), [batch, groups, each, count, taps])
  const rows = reshape(transpose(seen, [0, 1, 3, 2, 4]), [batch, groups, count, each * taps])
  const columns = swapped(reshape(weights, [groups, filters / groups, each * taps]))
  const product = matmul(rows, columns)
  return reshape(transpose(product, [0, 1, 3, 2]), [batch, filters, ...windows.outputs])
}

/** A bias of the channels, broadcastable to [batch, channels, ...spatial]. */
function ofChannels(bias: Tensor, rank: number): Tensor {
  return reshape(bias, [bias.size, ...Array.from({ length: rank - 2 }, () => 1)])
}

function conv(call: Call, x?: Tensor, w?: Tensor, bias?: Tensor): Tensor {
  const [value, weights] = [call.need(x, 0), call.need(w, 1)]
  const spatial = value.shape.slice(2)
  const windows = windowsOf(call, spatial, weights.shape.slice(2))
  const places = windowPlaces(spatial, windows)
  const groups = call.number('group', 1)
  if (!bias) return convolved(value, weights, groups, places, windows)
  const wide = convolved(widened(value), widened(weights), groups, places, windows)
  return cast(add(wide, ofChannels(widened(bias), value.rank)), value.dtype)
}

function convTranspose(call: Call, x?: Tensor, w?: Tensor, bias?: Tensor): Tensor {
  const [value, weights] = [call.need(x, 0), call.need(w, 1)]
  const [batch, channels, ...spatial] = value.shape as [number, number, ...number[]]
  const [, perGroup, ...kernel] = weights.shape as [number, number, ...number[]]
  const groups = call.number('group', 1)
  const ones = spatial.map(() => 1)
  const strides = call.numbers('strides') ?? ones
  const dilations = call.numbers('dilations') ?? ones
  const extra = call.numbers('output_padding') ?? ones.map(() => 0)
  const reach = kernel.map((k, i) => (k - 1) * dilations[i]! + 1)
  const whole = spatial.map((n, i) => (n - 1) * strides[i]! + reach[i]! + extra[i]!)
  const shape = call.numbers('output_shape')?.slice(-spatial.length)
  const auto = call.text('auto_pad', 'NOTSET')
  let before = (call.numbers('pads') ?? [...ones, ...ones].fill(0)).slice(0, spatial.length)
  let after = (call.numbers('pads') ?? [...ones, ...ones].fill(0)).slice(spatial.length)
  const wanted = shape ?? (auto.startsWith('SAME') ? spatial.map((n, i) => n * strides[i]!) : undefined)
  if (wanted) {
    const total = wanted.map((n, i) => whole[i]! - n)
    const half = total.map((n) => Math.floor(n / 2))
    const rest = total.map((n, i) => n - half[i]!)
    ;[before, after] = auto === 'SAME_UPPER' ? [half, rest] : [rest, half]
  }
  const outputs = whole.map((n, i) => n - before[i]! - after[i]!)
  // Output o reads input i through tap t where o + before = i stride + t dilation.
  const windows: Windows = { kernel, strides: ones, dilations, pads: [], outputs }
  const places = placesOf(
    spatial,
    kernel,
    outputs,
    (o, t, i) => (o + before[i]! - t * dilations[i]!) / strides[i]!,
  )
  const filters = reshape(
    transpose(reshape(weights, [groups, channels / groups, perGroup, sizeOf(kernel)]), [0, 2, 1, 3]),
    [groups * perGroup, channels / groups, ...kernel],
  )
  const wide = convolved(widened(value), widened(filters), groups, places, windows)
  const result = reshape(wide, [batch, groups * perGroup, ...outputs])
  return cast(bias ? add(result, ofChannels(widened(bias), value.rank)) : result, value.dtype)
}

/** A pooling over windows: x, its windows [batch, channels, outputs, kernel] by `fill` in the padding. */
function pooled(
  call: Call,
  x: Tensor | undefined,
  fill: number,
  f: (seen: Tensor, places: Int32Array, windows: Windows) => Tensor,
): Tensor {
  const value = call.need(x, 0)
  const kernel = call.numbers('kernel_shape') ?? []
  const windows = windowsOf(call, value.shape.slice(2), kernel)
  const places = windowPlaces(value.shape.slice(2), windows)
  return inWide(value, (wide) => {
    const seen = patches(wide, places, [sizeOf(windows.outputs), sizeOf(kernel)], fill)
    return reshape(f(seen, places, windows), [...value.shape.slice(0, 2), ...windows.outputs])
  })
}

function averagePool(call: Call, x?: Tensor): Tensor {
  const padded = call.flag('count_include_pad')
  return pooled(call, x, 0, (seen, places, windows) => {
    const size = sizeOf(x!.shape.slice(2))
    const taps = sizeOf(windows.kernel)
    const counted = padded ? paddedTaps(call, x!.shape.slice(2), windows) : undefined
    const counts = Array.from({ length: sizeOf(windows.outputs) }, (_, out) => {
      if (counted) return counted[out]!
      return places.subarray(out * taps, (out + 1) * taps).filter((place) => place < size).length
    })
    return div(sum(seen, { axis: -1 }), tensor(counts, { dtype: seen.dtype }))
  })
}

/** How many taps of each window lie in the input or its padding: a window that `ceil_mode` adds reaches beyond both. */
function paddedTaps(_: Call, spatial: readonly number[], windows: Windows): number[] {
  const whole = spatial.map((n, i) => n + windows.pads[i]! + windows.pads[i + spatial.length]!)
  const places = windowPlaces(whole, { ...windows, pads: windows.pads.map(() => 0) })
  const taps = sizeOf(windows.kernel)
  const size = sizeOf(whole)
  return Array.from(
    { length: sizeOf(windows.outputs) },
    (__, out) => places.subarray(out * taps, (out + 1) * taps).filter((place) => place < size).length,
  )
}

function maxPool(call: Call, x?: Tensor): readonly (Tensor | undefined)[] {
  const value = call.need(x, 0)
  const fill = isFloat(value.dtype) ? -Infinity : value.dtype === 'uint8' ? 0 : -128
  const result = pooled(call, x, fill, (seen) => max(seen, { axis: -1 }))
  if (call.node.outputs.length < 2) return [result]
  const kernel = call.numbers('kernel_shape') ?? []
  const spatial = value.shape.slice(2)
  const windows = windowsOf(call, spatial, kernel)
  const places = windowPlaces(spatial, windows)
  const taps = sizeOf(kernel)
  const seen = patches(value, places, [sizeOf(windows.outputs), taps], fill)
  const best = call.known(argmax(seen, { axis: -1 }), 'the largest elements')
  const size = sizeOf(spatial)
  const each = sizeOf(windows.outputs)
  const strides = spatial.map((_, i) => sizeOf(spatial.slice(i + 1)))
  const columnStrides = spatial.map((_, i) => sizeOf(spatial.slice(0, i)))
  const columns = call.flag('storage_order')
  const indices = best.map((tap, i) => {
    const place = places[(i % each) * taps + tap]!
    const flat = columns
      ? strides.reduce(
          (sum, stride, j) => sum + (Math.floor(place / stride) % spatial[j]!) * columnStrides[j]!,
          0,
        )
      : place
    return Math.floor(i / each) * size + flat
  })
  return [result, tensor(indices, { dtype: 'int64', shape: result.shape })]
}

const overSpatial =
  (f: (x: Tensor, options: { axis: readonly number[]; keepDims: boolean }) => Tensor): Operator =>
  (call, x) => {
    const value = call.need(x, 0)
    const axis = value.shape.map((_, i) => i).slice(2)
    return inWide(value, (wide) => f(wide, { axis, keepDims: true }))
  }

/** A zero point to subtract, with its axes: one for all, or one of each row or column of a matrix. */
function centred(x: Tensor, zero: Tensor | undefined, rows: boolean): Tensor {
  const whole = cast(x, 'int32')
  if (!zero) return whole
  const point = cast(zero, 'int32')
  return sub(whole, rows && point.rank === 1 && point.size > 1 ? reshape(point, [point.size, 1]) : point)
}

function matmulInteger(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const [a, b] = [call.need(inputs[0], 0), call.need(inputs[1], 1)]
  return matmul(centred(a, inputs[2], true), centred(b, inputs[3], false))
}

function convInteger(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const [x, w] = [call.need(inputs[0], 0), call.need(inputs[1], 1)]
  const spatial = x.shape.slice(2)
  const windows = windowsOf(call, spatial, w.shape.slice(2))
  const places = windowPlaces(spatial, windows)
  // Zero points are subtracted first, so that the padding is 0.
  const value = inputs[2] ? sub(cast(x, 'int32'), reshape(cast(inputs[2], 'int32'), [])) : cast(x, 'int32')
  const weights = inputs[3]
    ? sub(cast(w, 'int32'), perFilter(cast(inputs[3], 'int32'), w.rank))
    : cast(w, 'int32')
  return convolved(value, weights, call.number('group', 1), places, windows)
}

function perFilter(x: Tensor, rank: number): Tensor {
  return x.size === 1 ? reshape(x, []) : reshape(x, [x.size, ...Array.from({ length: rank - 1 }, () => 1)])
}

function lpPool(call: Call, x?: Tensor): Tensor {
  const p = call.number('p', 2)
  return pooled(call, x, 0, (seen) => pow(sum(pow(abs(seen), p), { axis: -1 }), 1 / p))
}

/** Products, convolutions and pooling. */
export const productOperators: Readonly<Record<string, Operator>> = {
  AveragePool: averagePool,
  Conv: conv,
  ConvInteger: convInteger,
  ConvTranspose: convTranspose,
  Einsum: (call, ...inputs) =>
    einsum(
      call.text('equation', '').replaceAll(' ', ''),
      inputs.map((x, i) => call.need(x, i)),
    ),
  Gemm: gemm,
  GlobalAveragePool: overSpatial(mean),
  GlobalMaxPool: overSpatial(max),
  LpPool: lpPool,
  MatMul: (call, a, b) => matmul(call.need(a, 0), call.need(b, 1)),
  MatMulInteger: matmulInteger,
  MaxPool: maxPool,
}

export { convolved, perFilter }
