import { decodeArray, encodeArray } from '../../../numbers/formats/index.js'
import {
  canonicalizeNaN,
  type DType,
  dtypeFacts,
  full,
  isFloat,
  type Shape,
  sizeOf,
  Tensor,
} from '../../tensor/index.js'
import { isNarrowInteger } from './values.js'

/** The elements of a tensor as they lie inside a program, as 32-bit words. */
export function wordsOf({ dtype, data }: Tensor): Uint32Array {
  if (dtype === 'bool') return Uint32Array.from(data as Uint8Array, (element) => (element ? 0xffffffff : 0))
  if (isNarrowInteger(dtype)) return new Uint32Array(Int32Array.from(data as Int8Array).buffer)
  const low = dtypeFacts(dtype).format
  if (!low) return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4).slice()
  const values = Float32Array.from(decodeArray(data as Uint8Array | Uint16Array, low))
  canonicalizeNaN(values)
  return new Uint32Array(values.buffer)
}

/** Integers of fewer than 32 bits, which are as wide as that inside a program, as storage has them. */
export function narrowed(dtype: DType, words: Int32Array): Tensor['data'] {
  return (dtypeFacts(dtype).storage as Int8ArrayConstructor).from(words)
}

/** Whether an element is a NaN other than the canonical one: inside a program it would be that. */
export function hasOddNaN(x: Tensor): boolean {
  if (!isFloat(x.dtype)) return false
  const bits = x.toBits()
  const [canonical] = full([], Number.NaN, { dtype: x.dtype }).toBits()
  return x.toNumbers().some((value, i) => Number.isNaN(value) && bits[i] !== canonical)
}

/** The tensor whose elements lie at an address inside a program; a copy. */
export function tensorAt<D extends DType>(
  buffer: ArrayBuffer,
  at: number,
  dtype: D,
  shape: Shape,
): Tensor<D> {
  const size = sizeOf(shape)
  const made = (data: unknown): Tensor<D> => new Tensor(dtype, shape, data as Tensor<D>['data'])
  if (dtype === 'bool') return made(Uint8Array.from(new Int32Array(buffer, at, size), (mask) => mask & 1))
  if (dtype === 'int32') return made(new Int32Array(buffer, at, size).slice())
  if (dtype === 'uint32') return made(new Uint32Array(buffer, at, size).slice())
  if (dtype === 'int64') return made(new BigInt64Array(buffer, at, size).slice())
  if (dtype === 'uint64') return made(new BigUint64Array(buffer, at, size).slice())
  if (isNarrowInteger(dtype)) return made(narrowed(dtype, new Int32Array(buffer, at, size)))
  const values = new (dtype === 'float64' ? Float64Array : Float32Array)(buffer, at, size).slice()
  canonicalizeNaN(values)
  const low = dtypeFacts(dtype).format
  return made(low ? encodeArray(values, low) : values)
}

/** Puts the elements of a tensor at an address inside a program. */
export function putTensor(buffer: ArrayBuffer, at: number, x: Tensor): void {
  const words = wordsOf(x)
  new Uint32Array(buffer, at, words.length).set(words)
}
