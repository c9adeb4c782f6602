import { type DType, dtypeFacts, type Shape, type Storage, Tensor } from '../../tensors/tensor/index.js'

/** The elements as they lie in memory, little-endian as everywhere Node runs but s390x; a view. */
export function bytesOf(x: Tensor): Uint8Array {
  return new Uint8Array(x.data.buffer, x.data.byteOffset, x.data.byteLength)
}

/** The width of a stored element in bytes: codes of at most 8 bits take one each. */
export function widthOf(dtype: DType): 1 | 2 | 4 | 8 {
  if (dtype === 'float64') return 8
  if (dtype === 'float32' || dtype === 'int32' || dtype === 'uint32') return 4
  return dtypeFacts(dtype).bits > 8 ? 2 : 1
}

/**
 * A tensor of these bytes, which it takes over; they start at offset 0 of their buffer and have the right length.
 * `where` names the tensor in the error for a byte that is no code of the dtype.
 */
export function tensorOf(op: string, where: string, dtype: DType, shape: Shape, bytes: Uint8Array): Tensor {
  const bits = widthOf(dtype) === 1 ? dtypeFacts(dtype).bits : 8
  if (bits < 8) {
    const strange = bytes.find((code) => code >= 2 ** bits)
    if (strange !== undefined) throw new RangeError(`${op}: not a code of ${dtype} in ${where} [${strange}]`)
  }
  return new Tensor(dtype, [...shape], storageOver(dtype, bytes.buffer as ArrayBuffer))
}

function storageOver(dtype: DType, buffer: ArrayBuffer): Storage {
  if (dtype === 'float64') return new Float64Array(buffer)
  if (dtype === 'float32') return new Float32Array(buffer)
  if (dtype === 'int32') return new Int32Array(buffer)
  if (dtype === 'uint32') return new Uint32Array(buffer)
  return widthOf(dtype) === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer)
}
