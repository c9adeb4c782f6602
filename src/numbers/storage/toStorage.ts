import { checkArray } from '../../base/options/index.js'
import type { StorageName } from './storageType.js'
import { typeOf } from './storageTypes.js'

/**
 * Numbers as the bytes of a storage format: block after block, scales and codes as they lie in a GGUF file, or bitsandbytes'
 * largest magnitude (float32) with the codes of its block behind it.
 *
 * Rounding  q4_0 q4_1 q5_0 q5_1 q8_0 mxfp4: the codes of ggml, in its float32 steps. nf4 fp4: those of bitsandbytes, but one
 *           code of zero. The others by a search for the scales of least squared error, which is not ggml's: the error is
 *           alike, the codes are others.
 * Special   a block with NaN or an infinity, or whose scale is no float16, decodes to what float32 arithmetic makes of it.
 * Throws    TypeError for what is no Float32Array; RangeError for a length that is no multiple of the block's.
 * Cost      15 to 130 ns a number for blocks of 32 and 64 (q8_0 the least), 0.4 to 1.5 us for those that search.
 * Source    ggml-org/llama.cpp, gguf-py 0.19.0 (gguf/quants.py); bitsandbytes 0.50.2.
 *
 * @example toStorage(new Float32Array(64).fill(1), 'q8_0').length // 68
 * @example toStorage(new Float32Array(33), 'q8_0') // throws toStorage: length is no multiple of 32, the block of q8_0 [33]
 */
export function toStorage(values: Float32Array, name: StorageName): Uint8Array {
  const { blockSize, blockBytes, encode } = typeOf('toStorage', name)
  if (!(values instanceof Float32Array)) {
    throw new TypeError(`toStorage: values are no Float32Array [${typeof values}]`)
  }
  if (values.length % blockSize !== 0) {
    throw new RangeError(
      `toStorage: length is no multiple of ${blockSize}, the block of ${name} [${values.length}]`,
    )
  }
  const blocks = values.length / blockSize
  const bytes = new Uint8Array(blocks * blockBytes)
  for (let b = 0; b < blocks; b++) {
    encode(
      values.subarray(b * blockSize, (b + 1) * blockSize),
      bytes.subarray(b * blockBytes, (b + 1) * blockBytes),
    )
  }
  return bytes
}

/**
 * The numbers that bytes of a storage format stand for, as gguf-py and bitsandbytes compute them in float32.
 *
 * Throws    TypeError for what is no Uint8Array; RangeError for a length that is no multiple of the block's bytes.
 * Cost      3 to 15 ns a number, q6_k 30.
 *
 * @example fromStorage(toStorage(new Float32Array(32).fill(1), 'q8_0'), 'q8_0')[0] // 0.99993896484375
 * @example fromStorage(new Uint8Array(17), 'q8_0') // throws fromStorage: length is no multiple of 34, a block's bytes of q8_0 [17]
 */
export function fromStorage(bytes: Uint8Array, name: StorageName): Float32Array {
  const { blockSize, blockBytes, decode } = typeOf('fromStorage', name)
  checkArray('fromStorage', 'bytes', bytes)
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`fromStorage: bytes are no Uint8Array [${typeof bytes}]`)
  }
  if (bytes.length % blockBytes !== 0) {
    throw new RangeError(
      `fromStorage: length is no multiple of ${blockBytes}, a block's bytes of ${name} [${bytes.length}]`,
    )
  }
  const blocks = bytes.length / blockBytes
  const values = new Float32Array(blocks * blockSize)
  for (let b = 0; b < blocks; b++) {
    decode(
      bytes.subarray(b * blockBytes, (b + 1) * blockBytes),
      values.subarray(b * blockSize, (b + 1) * blockSize),
    )
  }
  return values
}
