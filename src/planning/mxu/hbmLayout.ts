import { checkInteger, shown } from '../../base/options/index.js'
import { bitsOf, type StoredDType } from '../hardware/index.js'

/** An array in HBM as the TPU compiler lays it out. */
export interface HbmLayout {
  readonly bytes: number
  /** Without padding. */
  readonly usefulBytes: number
  /** Rows and lanes of a tile; of a list the elements. */
  readonly tile: readonly number[]
  /** The order of the dimensions, the fastest first. */
  readonly minorToMajor: readonly number[]
}

/**
 * The bytes of an array in HBM: the two minor dimensions are padded to tiles of rows x 128, where 32 / bits elements share a
 * word. Rows are 8 words' worth where the dimension is a multiple of it, else the least power of two that holds it, up to 8:
 * bfloat16 pads to 8 rows, not to 16. A list is padded to 128 words' worth, doubled up to 1024. The order of the dimensions is
 * the one that takes the least bytes, row-major if none takes less.
 *
 * Shape     any. Dtype by its bits. Rounding up to whole tiles; at least 512 bytes.
 * Throws    TypeError for a shape that is not a list of integers, RangeError for an unknown dtype.
 * Source    asked of libtpu 0.0.51 (scripts/golden/planning_libtpu.py): all of 698 arrays on v4, v5e, v5p, v6e and tpu7x.
 *
 * @example hbmLayout([9, 129], 'bfloat16').bytes // 8192
 * @example hbmLayout([128, 1], 'float32') // { bytes: 512, usefulBytes: 512, tile: [1, 128], minorToMajor: [0, 1] }
 */
export function hbmLayout(shape: readonly number[], dtype: StoredDType): HbmLayout {
  if (!Array.isArray(shape)) throw new TypeError(`hbmLayout: the shape is no list of sizes [${shown(shape)}]`)
  for (const size of shape) checkInteger('hbmLayout', 'a size of the shape', size)
  const bits = bitsOf(dtype)
  const usefulBytes = Math.ceil((shape.reduce((n, size) => n * size, 1) * bits) / 8)
  // A boolean is stored as a byte, and packs as one.
  const packed = 32 / bits
  if (shape.length < 2) return { ...listLayout(shape[0] ?? 1, packed, bits), usefulBytes }
  const orders = pairsOf(shape.length).map((order) => ({ order, ...tiled(shape, order, packed, bits) }))
  const least = orders.reduce((best, other) => (other.bytes < best.bytes ? other : best))
  return { bytes: least.bytes, usefulBytes, tile: [least.rows, 128], minorToMajor: least.order }
}

function listLayout(length: number, packed: number, bits: number): Omit<HbmLayout, 'usefulBytes'> {
  let tile = 128 * packed
  while (tile < 1024 && tile < length) tile *= 2
  return { bytes: (Math.ceil(length / tile) * tile * bits) / 8, tile: [tile], minorToMajor: [0] }
}

/** Every choice of the two minor dimensions, row-major first; the others keep their order. */
function pairsOf(rank: number): number[][] {
  const falling = Array.from({ length: rank }, (_, i) => rank - 1 - i)
  return falling.flatMap((minor) =>
    falling
      .filter((second) => second !== minor)
      .map((second) => [minor, second, ...falling.filter((i) => i !== minor && i !== second)]),
  )
}

function tiled(
  shape: readonly number[],
  order: readonly number[],
  packed: number,
  bits: number,
): { readonly bytes: number; readonly rows: number } {
  const [minor = 0, second = 1, ...rest] = order.map((i) => shape[i] ?? 1)
  // Two to a word: a tile of 16 rows pads as one of 8, and the compiler writes 8.
  const most = packed > 2 && second % (8 * packed) === 0 ? 8 * packed : 8
  let rows = Math.min(packed, most)
  while (rows < Math.min(second, most)) rows *= 2
  const lanes = Math.ceil(minor / 128) * 128
  const words = rest.reduce((n, size) => n * size, Math.ceil(second / rows) * rows * lanes)
  return { bytes: (words * bits) / 8, rows }
}
