import { decode } from '../../../bf16/index.js'
import { decodeArray, type FormatName } from '../../../numbers/formats/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'

/** The elements of a float tensor as float32 numbers: exact for all formats but float64, whose are rounded. */
export function float32Of({ dtype, data }: Tensor): Float32Array {
  if (data instanceof Float32Array) return data
  if (data instanceof Float64Array) return Float32Array.from(data)
  if (dtype === 'bfloat16') return decode(data as Uint16Array)
  return decodeArray(data as Uint8Array | Uint16Array, dtype as FormatName)
}
