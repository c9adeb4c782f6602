import { concat, full, reshape, sizeOf, type Tensor, take, tensor } from '../../../tensors/tensor/index.js'
import type { Call } from './call.js'

/** Sliding windows over the axes behind [batch, channels]. */
export interface Windows {
  readonly kernel: readonly number[]
  readonly strides: readonly number[]
  readonly dilations: readonly number[]
  /** Elements before each axis, then behind each. */
  readonly pads: readonly number[]
  readonly outputs: readonly number[]
}

/** The windows of a convolution or pooling node over a tensor of this shape. */
export function windowsOf(call: Call, spatial: readonly number[], kernel: readonly number[]): Windows {
  const rank = spatial.length
  const ones = spatial.map(() => 1)
  const strides = call.numbers('strides') ?? ones
  const dilations = call.numbers('dilations') ?? ones
  const reach = kernel.map((k, i) => (k - 1) * dilations[i]! + 1)
  const auto = call.text('auto_pad', 'NOTSET')
  const ceil = call.flag('ceil_mode')
  if (auto === 'SAME_UPPER' || auto === 'SAME_LOWER') {
    const outputs = spatial.map((n, i) => Math.ceil(n / strides[i]!))
    const whole = outputs.map((n, i) => Math.max(0, (n - 1) * strides[i]! + reach[i]! - spatial[i]!))
    const less = whole.map((n) => Math.floor(n / 2))
    const more = whole.map((n) => Math.ceil(n / 2))
    return {
      kernel,
      strides,
      dilations,
      pads: auto === 'SAME_UPPER' ? [...less, ...more] : [...more, ...less],
      outputs,
    }
  }
  const pads =
    auto === 'VALID' ? [...ones, ...ones].fill(0) : (call.numbers('pads') ?? [...ones, ...ones].fill(0))
  const outputs = spatial.map((n, i) => {
    const steps = (n + pads[i]! + pads[i + rank]! - reach[i]!) / strides[i]!
    const count = (ceil ? Math.ceil(steps) : Math.floor(steps)) + 1
    // A window that begins in the padding behind the input is left out.
    return ceil && (count - 1) * strides[i]! >= n + pads[i]! ? count - 1 : count
  })
  return { kernel, strides, dilations, pads, outputs }
}

/**
 * For every output, the flat positions of its window's elements in the input's spatial axes; the size of the input stands for an element
 * in the padding. [outputs, kernel] as one list.
 */
export function windowPlaces(spatial: readonly number[], windows: Windows): Int32Array {
  const { kernel, strides, dilations, pads, outputs } = windows
  return placesOf(spatial, kernel, outputs, (o, t, i) => o * strides[i]! + t * dilations[i]! - pads[i]!)
}

/** As `windowPlaces`, for any coordinate in the input by output, tap and axis; one that is no integer counts as padding. */
export function placesOf(
  spatial: readonly number[],
  kernel: readonly number[],
  outputs: readonly number[],
  coordinate: (output: number, tap: number, axis: number) => number,
): Int32Array {
  const [count, taps, size] = [sizeOf(outputs), sizeOf(kernel), sizeOf(spatial)]
  const places = new Int32Array(count * taps).fill(size)
  for (let out = 0; out < count; out++) {
    for (let tap = 0; tap < taps; tap++) {
      let [o, t, flat, stride] = [out, tap, 0, 1]
      let inside = true
      for (let i = spatial.length - 1; i >= 0; i--) {
        const at = coordinate(o % outputs[i]!, t % kernel[i]!, i)
        inside &&= Number.isInteger(at) && at >= 0 && at < spatial[i]!
        flat += at * stride
        stride *= spatial[i]!
        o = Math.floor(o / outputs[i]!)
        t = Math.floor(t / kernel[i]!)
      }
      if (inside) places[out * taps + tap] = flat
    }
  }
  return places
}

/** Windows of x [batch, channels, ...spatial] as [batch, channels, outputs, kernel], with `fill` in the padding. */
export function patches(
  x: Tensor,
  places: Int32Array,
  shape: readonly [outputs: number, kernel: number],
  fill: number,
): Tensor {
  const [batch, channels, ...spatial] = x.shape as [number, number, ...number[]]
  const size = sizeOf(spatial)
  const flat = reshape(x, [batch, channels, size])
  const padded = places.includes(size)
    ? concat([flat, full([batch, channels, 1], fill, { dtype: x.dtype })], { axis: 2 })
    : flat
  return take(padded, tensor(places, { dtype: 'int32', shape }), { axis: 2 })
}
