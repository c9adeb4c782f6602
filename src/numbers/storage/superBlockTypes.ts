import { halfAt, putHalf } from './half.js'
import { bestScale, bestScaleAndOffset } from './leastSquares.js'
import { largest } from './legacyTypes.js'
import type { StorageName, StorageType } from './storageType.js'

const size = 256

/** Where the codes and the scales of a type with super-blocks lie. */
interface Layout {
  readonly name: StorageName
  readonly blockBytes: number
  readonly codeBits: number
  /** Numbers that share a scale. */
  readonly part: number
  readonly scaleAt: number
  readonly code: (bytes: Uint8Array, i: number) => number
  readonly putCode: (bytes: Uint8Array, i: number, code: number) => void
}

/** With a scale and a minimum for each part, which are small integers times two float16 of the block. */
interface AffineLayout extends Layout {
  readonly most: number
  readonly scales: (bytes: Uint8Array, j: number) => readonly [scale: number, minimum: number]
  readonly putScales: (bytes: Uint8Array, j: number, scale: number, minimum: number) => void
}

/** With a signed scale for each part, a small integer times the float16 of the block. */
interface SignedLayout extends Layout {
  /** The scales are -most .. most - 1. */
  readonly most: number
  readonly scale: (bytes: Uint8Array, j: number) => number
  readonly putScale: (bytes: Uint8Array, j: number, scale: number) => void
}

/**
 * Places of codes that `count` neighbouring runs of 32 share, each in some bits of the same 32 bytes: the byte, and which
 * run it is.
 */
const inRuns = (i: number, count: number): readonly [byte: number, run: number] => [
  Math.floor(i / (32 * count)) * 32 + (i % 32),
  Math.floor(i / 32) % count,
]

const bitsAt = (bytes: Uint8Array, byte: number, shift: number, mask: number): number =>
  (bytes[byte]! >> shift) & mask

function putBits(bytes: Uint8Array, byte: number, shift: number, value: number): void {
  bytes[byte]! |= value << shift
}

/** ggml's types with super-blocks of 256. */
export const superBlockTypes: readonly StorageType[] = [
  affine({
    ...{ name: 'q2_k', blockBytes: 84, codeBits: 2, part: 16, scaleAt: 80, most: 15 },
    code: (bytes, i) => {
      const [byte, run] = inRuns(i, 4)
      return bitsAt(bytes, 16 + byte, 2 * run, 3)
    },
    putCode: (bytes, i, code) => {
      const [byte, run] = inRuns(i, 4)
      putBits(bytes, 16 + byte, 2 * run, code)
    },
    scales: (bytes, j) => [bytes[j]! & 15, bytes[j]! >> 4],
    putScales: (bytes, j, scale, minimum) => {
      bytes[j] = scale | (minimum << 4)
    },
  }),
  signed({
    ...{ name: 'q3_k', blockBytes: 110, codeBits: 3, part: 16, scaleAt: 108, most: 32 },
    // The upper bit is in the first 32 bytes.
    code: (bytes, i) => {
      const [byte, run] = inRuns(i, 4)
      const [upper, bit] = inRuns(i, 8)
      return (bitsAt(bytes, 32 + byte, 2 * run, 3) | (bitsAt(bytes, upper, bit, 1) << 2)) - 4
    },
    putCode: (bytes, i, code) => {
      const [byte, run] = inRuns(i, 4)
      const [upper, bit] = inRuns(i, 8)
      putBits(bytes, 32 + byte, 2 * run, (code + 4) & 3)
      putBits(bytes, upper, bit, (code + 4) >> 2)
    },
    scale: (bytes, j) =>
      (bitsAt(bytes, 96 + (j % 8), j < 8 ? 0 : 4, 15) |
        (bitsAt(bytes, 104 + (j % 4), 2 * (j >> 2), 3) << 4)) -
      32,
    putScale: (bytes, j, scale) => {
      putBits(bytes, 96 + (j % 8), j < 8 ? 0 : 4, (scale + 32) & 15)
      putBits(bytes, 104 + (j % 4), 2 * (j >> 2), (scale + 32) >> 4)
    },
  }),
  affine({
    ...{ name: 'q4_k', blockBytes: 144, codeBits: 4, part: 32, scaleAt: 0, most: 63 },
    code: (bytes, i) => {
      const [byte, run] = inRuns(i, 2)
      return bitsAt(bytes, 16 + byte, 4 * run, 15)
    },
    putCode: (bytes, i, code) => {
      const [byte, run] = inRuns(i, 2)
      putBits(bytes, 16 + byte, 4 * run, code)
    },
    ...sixBitScales(),
  }),
  affine({
    ...{ name: 'q5_k', blockBytes: 176, codeBits: 5, part: 32, scaleAt: 0, most: 63 },
    code: (bytes, i) => {
      const [byte, run] = inRuns(i, 2)
      const [upper, bit] = inRuns(i, 8)
      return bitsAt(bytes, 48 + byte, 4 * run, 15) | (bitsAt(bytes, 16 + upper, bit, 1) << 4)
    },
    putCode: (bytes, i, code) => {
      const [byte, run] = inRuns(i, 2)
      const [upper, bit] = inRuns(i, 8)
      putBits(bytes, 48 + byte, 4 * run, code & 15)
      putBits(bytes, 16 + upper, bit, code >> 4)
    },
    ...sixBitScales(),
  }),
  signed({
    ...{ name: 'q6_k', blockBytes: 210, codeBits: 6, part: 16, scaleAt: 208, most: 128 },
    // Two runs of 64 share 64 bytes with the lower bits, four of 32 share 32 with the upper ones.
    code: (bytes, i) => {
      const [upper, run] = inRuns(i, 4)
      const lower = Math.floor(i / 128) * 64 + (i % 64)
      return (
        (bitsAt(bytes, lower, i % 128 < 64 ? 0 : 4, 15) | (bitsAt(bytes, 128 + upper, 2 * run, 3) << 4)) - 32
      )
    },
    putCode: (bytes, i, code) => {
      const [upper, run] = inRuns(i, 4)
      const lower = Math.floor(i / 128) * 64 + (i % 64)
      putBits(bytes, lower, i % 128 < 64 ? 0 : 4, (code + 32) & 15)
      putBits(bytes, 128 + upper, 2 * run, (code + 32) >> 4)
    },
    scale: (bytes, j) => (bytes[192 + j]! << 24) >> 24,
    putScale: (bytes, j, scale) => {
      bytes[192 + j] = scale
    },
  }),
]

/** Eight scales and eight minima of 6 bits in the 12 bytes from 4 on: the last four of each are cut in two. */
function sixBitScales(): Pick<AffineLayout, 'scales' | 'putScales'> {
  return {
    scales: (bytes, j) => {
      if (j < 4) return [bytes[4 + j]! & 63, bytes[8 + j]! & 63]
      const low = bytes[8 + j]!
      return [(low & 15) | ((bytes[j]! >> 6) << 4), (low >> 4) | ((bytes[4 + j]! >> 6) << 4)]
    },
    putScales: (bytes, j, scale, minimum) => {
      if (j < 4) {
        putBits(bytes, 4 + j, 0, scale)
        putBits(bytes, 8 + j, 0, minimum)
      } else {
        putBits(bytes, 8 + j, 0, (scale & 15) | ((minimum & 15) << 4))
        putBits(bytes, j, 6, scale >> 4)
        putBits(bytes, 4 + j, 6, minimum >> 4)
      }
    },
  }
}

const clamped = (value: number, least: number, most: number): number =>
  Math.min(Math.max(Math.round(value) || 0, least), most)

function affine(layout: AffineLayout): StorageType {
  const { name, blockBytes, codeBits, part, scaleAt, most } = layout
  const parts = size / part
  const top = 2 ** codeBits - 1
  return {
    ...{ name, blockSize: size, blockBytes, codeBits, family: 'GGUF' },
    encode(values, bytes) {
      const fits = Array.from({ length: parts }, (_, j) =>
        bestScaleAndOffset(values.subarray(j * part, (j + 1) * part), top),
      )
      const scale = putHalf(bytes, scaleAt, Math.max(...fits.map((fit) => fit.scale)) / most)
      const minimum = putHalf(bytes, scaleAt + 2, Math.max(...fits.map((fit) => -fit.offset)) / most)
      fits.forEach((fit, j) => {
        const s = scale > 0 ? clamped(fit.scale / scale, 0, most) : 0
        const m = minimum > 0 ? clamped(-fit.offset / minimum, 0, most) : 0
        layout.putScales(bytes, j, s, m)
        for (let i = j * part; s > 0 && i < (j + 1) * part; i++) {
          layout.putCode(bytes, i, clamped((values[i]! + minimum * m) / (scale * s), 0, top))
        }
      })
    },
    decode(bytes, values) {
      const [scale, minimum] = [halfAt(bytes, scaleAt), halfAt(bytes, scaleAt + 2)]
      for (let j = 0; j < parts; j++) {
        const [s, m] = layout.scales(bytes, j)
        for (let i = j * part; i < (j + 1) * part; i++) {
          values[i] = scale * s * layout.code(bytes, i) - minimum * m
        }
      }
    },
  }
}

function signed(layout: SignedLayout): StorageType {
  const { name, blockBytes, codeBits, part, scaleAt, most } = layout
  const parts = size / part
  const half = 2 ** (codeBits - 1)
  const level = (quotient: number): number => clamped(quotient, -half, half - 1)
  return {
    ...{ name, blockSize: size, blockBytes, codeBits, family: 'GGUF' },
    encode(values, bytes) {
      const scales = Float32Array.from({ length: parts }, (_, j) => {
        const own = values.subarray(j * part, (j + 1) * part)
        const peak = own[largest(own)]!
        return bestScale(
          own,
          Array.from({ length: 17 }, (_, k) => -peak / (half + (k - 8) / 8)),
          level,
        )
      })
      const scale = putHalf(bytes, scaleAt, scales[largest(scales)]! / -most)
      for (let j = 0; j < parts; j++) {
        const s = scale === 0 ? 0 : clamped(scales[j]! / scale, -most, most - 1)
        layout.putScale(bytes, j, s)
        for (let i = j * part; i < (j + 1) * part; i++) {
          layout.putCode(bytes, i, s === 0 ? 0 : level(values[i]! / (scale * s)))
        }
      }
    },
    decode(bytes, values) {
      const scale = halfAt(bytes, scaleAt)
      for (let i = 0; i < size; i++) {
        values[i] = scale * layout.scale(bytes, Math.floor(i / part)) * layout.code(bytes, i)
      }
    },
  }
}
