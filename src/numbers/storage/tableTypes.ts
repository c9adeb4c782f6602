import { halfAt, putHalf } from './half.js'
import { bestScale } from './leastSquares.js'
import { largest } from './legacyTypes.js'
import type { StorageName, StorageType } from './storageType.js'

const { fround } = Math

/** What the codes of ggml's IQ4 types stand for, times the scale. */
const levels = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113] as const

/** Twice the values of float4_e2m1fn, as ggml has them. */
const doubled = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] as const

/** Values over the largest magnitude of their block, as bitsandbytes has them: quantiles of the normal distribution. */
const nf4 = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
]

/** Likewise: a sign and three bits whose order is their own. */
const fp4 = [0, 0.0625, 8, 12, 4, 6, 2, 3, 0, -0.0625, -8, -12, -4, -6, -2, -3].map((value) =>
  fround(value / 12),
)

/** Types whose codes are places in a table. */
export const tableTypes: readonly StorageType[] = [
  {
    ...{ name: 'iq4_nl', blockSize: 32, blockBytes: 18, codeBits: 4, family: 'GGUF' },
    encode(values, bytes) {
      const scale = putHalf(bytes, 0, scaleOf(values))
      for (let i = 0; i < 32; i++) {
        putNibble(bytes, 2, i, scale === 0 ? zeroLevel : nearest(values[i]! / scale))
      }
    },
    decode(bytes, values) {
      const scale = halfAt(bytes, 0)
      for (let i = 0; i < 32; i++) values[i] = scale * levels[nibble(bytes, 2, i)]!
    },
  },
  {
    ...{ name: 'iq4_xs', blockSize: 256, blockBytes: 136, codeBits: 4, family: 'GGUF' },
    encode(values, bytes) {
      const scales = Float32Array.from({ length: 8 }, (_, j) => scaleOf(values.subarray(32 * j, 32 * j + 32)))
      const scale = putHalf(bytes, 0, scales[largest(scales)]! / -32)
      for (let j = 0; j < 8; j++) {
        const s = scale === 0 ? 0 : Math.min(Math.max(Math.round(scales[j]! / scale), -32), 31)
        bytes[4 + (j >> 1)]! |= ((s + 32) & 15) << (4 * (j & 1))
        bytes[2 + (j >> 2)]! |= ((s + 32) >> 4) << (2 * (j & 3))
        for (let i = 0; i < 32; i++) {
          const code = s === 0 ? zeroLevel : nearest(values[32 * j + i]! / (scale * s))
          putNibble(bytes, 8 + 16 * j, i, code)
        }
      }
    },
    decode(bytes, values) {
      const scale = halfAt(bytes, 0)
      for (let j = 0; j < 8; j++) {
        const low = (bytes[4 + (j >> 1)]! >> (4 * (j & 1))) & 15
        const s = (low | (((bytes[2 + (j >> 2)]! >> (2 * (j & 3))) & 3) << 4)) - 32
        for (let i = 0; i < 32; i++) values[32 * j + i] = scale * s * levels[nibble(bytes, 8 + 16 * j, i)]!
      }
    },
  },
  {
    ...{ name: 'mxfp4', blockSize: 32, blockBytes: 17, codeBits: 4, family: 'GGUF' },
    encode(values, bytes) {
      const amax = Math.abs(values[largest(values)]!)
      // The logarithm is a float32 there, so just below a power of two it is that power's.
      const exponent = amax > 0 ? Math.floor(fround(Math.log2(amax))) - 2 + 127 : 0
      bytes[0] = Math.min(Math.max(exponent, 0), 254)
      const scale = halfPower(bytes[0])
      for (let i = 0; i < 32; i++) {
        let [best, error] = [0, Infinity]
        for (let code = 0; code < 16; code++) {
          const found = fround(Math.abs(fround(scale * doubled[code]!) - values[i]!))
          if (found < error) [best, error] = [code, found]
        }
        putNibble(bytes, 1, i, best)
      }
    },
    decode(bytes, values) {
      const scale = halfPower(bytes[0]!)
      for (let i = 0; i < 32; i++) values[i] = scale * doubled[nibble(bytes, 1, i)]!
    },
  },
  overLargest('nf4', nf4),
  overLargest('fp4', fp4),
]

/** 2^(code - 128): half of what an e8m0 code means, since the values are doubled. */
const halfPower = (code: number): number => 2 ** (code - 128)

/** The first 16 codes in the lower bits, the others in the upper ones. */
function nibble(bytes: Uint8Array, place: number, i: number): number {
  return i < 16 ? bytes[place + i]! & 15 : bytes[place + i - 16]! >> 4
}

function putNibble(bytes: Uint8Array, place: number, i: number, code: number): void {
  bytes[place + (i % 16)]! |= i < 16 ? code : code << 4
}

/** The place of the level nearest to 0. */
const zeroLevel = 8

function nearest(quotient: number): number {
  let place = 0
  while (place < 15 && quotient > (levels[place]! + levels[place + 1]!) / 2) place++
  return place
}

/** The scale of IQ4 levels that makes least of the squared error of a block. */
function scaleOf(values: Float32Array): number {
  const peak = values[largest(values)]!
  const beginnings = Array.from({ length: 15 }, (_, k) => peak / (-127 + k - 7))
  return bestScale(values, [...beginnings, peak / 113], (quotient) => levels[nearest(quotient)]!)
}

const float = new Float32Array(1)
const floatBytes = new Uint8Array(float.buffer)

/** Blocks of 64: their largest magnitude as float32, then codes, of two neighbours the first in the upper bits. */
function overLargest(name: StorageName, table: readonly number[]): StorageType {
  const order = table.map((_, code) => code).filter((code) => table.indexOf(table[code]!) === code)
  order.sort((a, b) => table[a]! - table[b]!)
  const middles = order.slice(1).map((code, i) => fround(fround(table[order[i]!]! + table[code]!) / 2))
  const codeOf = (value: number): number => order[middles.filter((middle) => value > middle).length]!
  return {
    ...{ name, blockSize: 64, blockBytes: 36, codeBits: 4, family: 'bitsandbytes' },
    encode(values, bytes) {
      const amax = Math.abs(values[largest(values)]!)
      float[0] = amax
      bytes.set(floatBytes, 0)
      const inverse = fround(1 / Math.max(amax, fround(1e-38)))
      for (let i = 0; i < 64; i++) {
        const code = codeOf(Math.min(Math.max(fround(values[i]! * inverse), -1), 1))
        bytes[4 + (i >> 1)]! |= i % 2 === 0 ? code << 4 : code
      }
    },
    decode(bytes, values) {
      floatBytes.set(bytes.subarray(0, 4))
      const amax = float[0]!
      for (let i = 0; i < 64; i++) {
        const byte = bytes[4 + (i >> 1)]!
        values[i] = table[i % 2 === 0 ? byte >> 4 : byte & 15]! * amax
      }
    },
  }
}
