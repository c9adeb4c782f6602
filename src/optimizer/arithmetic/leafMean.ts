import { cast, div, type Shape, sizeOf, sum } from '../../tensor/index.js'
import type { Elementwise } from './arithmetic.js'
import { type Decoded, tensorOf, valuesFor } from './decoded.js'
import { Recorded } from './recorded.js'

/**
 * The mean along one axis, or of everything: summed in float32 in C order and multiplied by float32(1 / n), one
 * rounding to the dtype; 'ieee' sums in float64 and divides.
 */
export function leafMean(a: Elementwise, x: Decoded, axis?: number): Decoded {
  if (x instanceof Recorded) return recordedMean(a, x, axis)
  const shape: Shape = axis === undefined ? [] : x.shape.filter((_, i) => i !== axis)
  const length = axis === undefined ? x.values.length : x.shape[axis]!
  const inner = axis === undefined ? 1 : sizeOf(x.shape.slice(axis + 1))
  const exact = a.name === 'ieee' || x.dtype === 'float64'
  const out = valuesFor(exact ? 'float64' : 'float32', length === 0 ? 0 : x.values.length / length)
  for (let i = 0; i < x.values.length; i++) {
    const at = Math.floor(i / (inner * length)) * inner + (i % inner)
    out[at] = out[at]! + x.values[i]!
  }
  const total: Decoded = { dtype: x.dtype, shape, values: out }
  return exact ? a.map((s) => s / length, total, 0) : a.map((s) => s * Math.fround(1 / length), total, 0)
}

/** The same in tensor operations. */
function recordedMean(a: Elementwise, { tensor, dtype, shape }: Recorded, axis: number | undefined): Decoded {
  const exact = a.name === 'ieee' || dtype === 'float64'
  const wide = cast(tensor, exact ? 'float64' : 'float32')
  const total = sum(wide, { order: 'sequential', ...(axis === undefined ? {} : { axis }) })
  const length = axis === undefined ? tensor.size : shape[axis]!
  return new Recorded(
    exact ? cast(div(total, length), dtype) : tensorOf(a.mul(total, Math.fround(1 / length)), dtype),
  )
}
