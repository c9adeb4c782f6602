import { decode, encode } from '../../../bf16/index.js'
import { decodeArray, encodeArray } from '../../../numbers/formats/index.js'
import { dtypeFacts, type FloatDType } from '../../../tensors/tensor/index.js'

/** Rounds float32 numbers to a dtype: from `values` to `out`, which may be the same. */
export type Narrow = (values: Float32Array, out: Float32Array) => void

/** The rounding of whole arrays to a dtype; undefined for float32, whose numbers they are. */
export function narrowTo(dtype: FloatDType): Narrow | undefined {
  if (dtype === 'float32' || dtype === 'float64') return undefined
  const codes = dtypeFacts(dtype).bits > 8 ? new Uint16Array(0) : new Uint8Array(0)
  let room = codes
  return (values, out) => {
    if (room.length < values.length) {
      room = new (dtypeFacts(dtype).bits > 8 ? Uint16Array : Uint8Array)(values.length)
    }
    const part = room.subarray(0, values.length)
    if (dtype === 'bfloat16') decode(encode(values, part as Uint16Array), out)
    else decodeArray(encodeArray(values, dtype, undefined, part), dtype, out)
  }
}

/** Whether products of two numbers of the dtype are not exact in float32. */
export function isWide(dtype: FloatDType): boolean {
  return dtypeFacts(dtype).precision > 12
}
