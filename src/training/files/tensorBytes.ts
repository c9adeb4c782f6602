import { type DType, dtypeFacts, type Shape, type Storage, Tensor } from '../../tensors/tensor/index.js'

/** The elements as they lie in memory, little-endian as everywhere Node runs but s390x; a view. */
export function bytesOf(x: Tensor): Uint8Array {
  return new Uint8Array(x.data.buffer, x.data.byteOffset, x.data.byteLength)
}

/** The width of a stored element in bytes: codes of at most 8 bits take one each. */
export function widthOf(dtype: DType): 1 | 2 | 4 | 8 {
  const { bits } = dtypeFacts(dtype)
  return bits <= 8 ? 1 : bits === 16 ? 2 : bits === 32 ? 4 : 8
}

/**
 * A tensor of these bytes, which it takes over; they start at offset 0 of their buffer and have the right length.
 * `where` names the tensor in the error for a byte that is no code of the dtype.
 */
export function tensorOf(op: string, where: string, dtype: DType, shape: Shape, bytes: Uint8Array): Tensor {
  const bits = widthOf(dtype) === 1 ? dtypeFacts(dtype).bits : 8
  if (bits < 8) {
    // Of integers with a sign the bits alone, as ml_dtypes has them, or with copies of the sign before them.
    const signed = dtype === 'int2' || dtype === 'int4'
    const strange = bytes.find((code) => code >= 2 ** bits && !(signed && code >= 256 - 2 ** (bits - 1)))
    if (strange !== undefined) throw new RangeError(`${op}: not a code of ${dtype} in ${where} [${strange}]`)
  }
  if (dtype === 'int2' || dtype === 'int4') {
    const shift = 32 - bits
    for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i]! << shift) >> shift
  }
  return new Tensor(dtype, [...shape], storageOver(dtype, bytes.buffer as ArrayBuffer))
}

function storageOver(dtype: DType, buffer: ArrayBuffer): Storage {
  return new (dtypeFacts(dtype).storage)(buffer)
}
