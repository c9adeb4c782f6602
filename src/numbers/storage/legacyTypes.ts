import { halfAt, putHalf } from './half.js'
import type { StorageName, StorageType } from './storageType.js'

const { fround } = Math
const size = 32

/** Blocks of 32 with one float16 scale, and one float16 minimum where the name ends in 1: ggml's first types. */
export const legacyTypes: readonly StorageType[] = [
  symmetric('q4_0', 4),
  affine('q4_1', 4),
  symmetric('q5_0', 5),
  affine('q5_1', 5),
  {
    ...{ name: 'q8_0', blockSize: size, blockBytes: 2 + size, codeBits: 8, family: 'GGUF' },
    encode(values, bytes) {
      const scale = fround(Math.abs(values[largest(values)]!) / 127)
      const inverse = inverseOf(scale)
      for (let i = 0; i < size; i++) {
        const product = fround(values[i]! * inverse)
        // Halves go away from zero, as C's roundf.
        const magnitude = Math.floor(Math.abs(product) + 0.5)
        bytes[2 + i] = product < 0 ? -magnitude : magnitude
      }
      putHalf(bytes, 0, scale)
    },
    decode(bytes, values) {
      const scale = halfAt(bytes, 0)
      for (let i = 0; i < size; i++) values[i] = ((bytes[2 + i]! << 24) >> 24) * scale
    },
  },
]

/** scale * (code - 2^(bits - 1)): the number of largest magnitude has code 0. */
function symmetric(name: StorageName, bits: 4 | 5): StorageType {
  const offset = 2 ** (bits - 1)
  return {
    ...{ name, blockSize: size, blockBytes: 2 + bits * 4, codeBits: bits, family: 'GGUF' },
    encode(values, bytes) {
      const scale = fround(values[largest(values)]! / -offset)
      const inverse = inverseOf(scale)
      putHalf(bytes, 0, scale)
      putCodes(bytes, 2, bits, values, 0, inverse, offset + 0.5)
    },
    decode(bytes, values) {
      const scale = halfAt(bytes, 0)
      for (let i = 0; i < size; i++) values[i] = scale * (codeAt(bytes, 2, bits, i) - offset)
    },
  }
}

/** scale * code + minimum. */
function affine(name: StorageName, bits: 4 | 5): StorageType {
  const most = 2 ** bits - 1
  return {
    ...{ name, blockSize: size, blockBytes: 4 + bits * 4, codeBits: bits, family: 'GGUF' },
    encode(values, bytes) {
      let [least, greatest] = [values[0]!, values[0]!]
      for (let i = 1; i < size; i++) {
        least = Math.min(least, values[i]!)
        greatest = Math.max(greatest, values[i]!)
      }
      const scale = fround(fround(greatest - least) / most)
      const inverse = inverseOf(scale)
      putHalf(bytes, 0, scale)
      putHalf(bytes, 2, least)
      putCodes(bytes, 4, bits, values, least, inverse, 0.5)
    },
    decode(bytes, values) {
      const [scale, least] = [halfAt(bytes, 0), halfAt(bytes, 2)]
      for (let i = 0; i < size; i++) values[i] = scale * codeAt(bytes, 4, bits, i) + least
    },
  }
}

/** Place of the first of the largest magnitudes; of a NaN where there is one. */
export function largest(values: Float32Array): number {
  let place = 0
  for (let i = 1; i < values.length; i++) {
    const [here, best] = [Math.abs(values[i]!), Math.abs(values[place]!)]
    if (here > best || (Number.isNaN(here) && !Number.isNaN(best))) place = i
  }
  return place
}

const inverseOf = (scale: number): number => (scale === 0 ? 0 : fround(1 / scale))

/**
 * Codes (value - least) * inverse + up, cut, each step in float32. Of 4 bits, the first half of the block in the lower ones; fifth
 * bits stand before them as 32 bits.
 */
function putCodes(
  bytes: Uint8Array,
  place: number,
  bits: 4 | 5,
  values: Float32Array,
  least: number,
  inverse: number,
  up: number,
): void {
  const low = bits === 5 ? place + 4 : place
  const most = 2 ** bits - 1
  for (let i = 0; i < size; i++) {
    const sum = fround(fround(fround(values[i]! - least) * inverse) + up)
    // What is no number, or infinite because the scale is subnormal, gets an end of the range.
    const code = sum > 0 ? (sum < most ? Math.trunc(sum) : most) : 0
    bytes[low + (i & 15)]! |= i < 16 ? code & 15 : (code & 15) << 4
    if (code > 15) bytes[place + (i >> 3)]! |= 1 << (i & 7)
  }
}

function codeAt(bytes: Uint8Array, place: number, bits: 4 | 5, i: number): number {
  const byte = bytes[(bits === 5 ? place + 4 : place) + (i % 16)]!
  const low = i < 16 ? byte & 15 : byte >> 4
  return bits === 5 ? low | (((bytes[place + (i >> 3)]! >> (i & 7)) & 1) << 4) : low
}
