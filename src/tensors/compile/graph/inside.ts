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
  if (dtype === 'bfloat16') return wordsOfBfloat16(data as Uint16Array)
  const low = dtypeFacts(dtype).format
  if (!low) return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4).slice()
  const values = Float32Array.from(decodeArray(data as Uint8Array | Uint16Array, low))
  canonicalizeNaN(values)
  return new Uint32Array(values.buffer)
}

/** Codes of bfloat16 are the upper halves of the float32; every NaN is the canonical one. */
function wordsOfBfloat16(codes: Uint16Array): Uint32Array {
  const words = new Uint32Array(codes.length)
  for (let i = 0; i < words.length; i++) {
    const code = codes[i]!
    words[i] = (code & 0x7fff) > 0x7f80 ? 0x7fc00000 : code << 16
  }
  return words
}

function bfloat16Of(words: Uint32Array): Uint16Array {
  const codes = new Uint16Array(words.length)
  for (let i = 0; i < codes.length; i++) {
    const word = words[i]!
    codes[i] = (word & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : word >>> 16
  }
  return codes
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
  if (dtype === 'bfloat16') return made(bfloat16Of(new Uint32Array(buffer, at, size)))
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
