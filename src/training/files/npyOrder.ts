import { type Shape, stridesOf } from '../../tensors/tensor/index.js'
import type { NpyHeader } from './npyHeader.js'
import { widthOf } from './tensorBytes.js'

/** Bytes of a whole array as they must lie in memory: little-endian, row-major. Takes `bytes` over. */
export function orderedBytes(header: NpyHeader, bytes: Uint8Array): Uint8Array {
  const width = widthOf(header.dtype)
  littleEndian(header, bytes)
  if (!header.fortranOrder || header.shape.length < 2) return bytes
  const ordered = new Uint8Array(bytes.length)
  scatterColumns(bytes, ordered, header.shape, width)
  return ordered
}

/** Reverses the bytes of each element in place, where the file has the other byte order. */
export function littleEndian({ bigEndian, dtype }: NpyHeader, bytes: Uint8Array): void {
  if (!bigEndian) return
  const width = widthOf(dtype)
  for (let at = 0; at < bytes.length; at += width) {
    for (let [low, high] = [at, at + width - 1]; low < high; low++, high--) {
      const byte = bytes[low]!
      bytes[low] = bytes[high]!
      bytes[high] = byte
    }
  }
}

/** Copies an array whose first axis runs fastest into one whose last axis does. */
function scatterColumns(from: Uint8Array, to: Uint8Array, shape: Shape, width: number): void {
  const strides = stridesOf(shape)
  const index = shape.map(() => 0)
  let target = 0
  for (let source = 0; source < from.length; source += width) {
    for (let byte = 0; byte < width; byte++) to[target + byte] = from[source + byte]!
    // The next element in Fortran order: the first axis that does not overflow moves on.
    for (let axis = 0; axis < shape.length; axis++) {
      target += strides[axis]! * width
      if (++index[axis]! < shape[axis]!) break
      target -= strides[axis]! * width * shape[axis]!
      index[axis] = 0
    }
  }
}
