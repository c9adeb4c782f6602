import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'

/** A size as a systolic array takes it: in whole tiles. */
export interface Padding {
  readonly size: number
  readonly padded: number
  readonly tiles: number
  /** Share of the tiles that does nothing: 1 - size / padded. */
  readonly waste: number
}

/**
 * A dimension in whole tiles of an array's side: 128, or 256 on v6e and tpu7x. An upper bound of the waste: XLA may put
 * several heads in one pass.
 *
 * Shape     none. Dtype none. Rounding up to whole tiles.
 * Throws    RangeError for anything but a positive integer.
 *
 * @example padding(192, 128) // { size: 192, padded: 256, tiles: 2, waste: 0.25 }
 * @example padding(128, 256).waste // 0.5
 */
export function padding(size: number, side: number): Padding {
  checkInteger('padding', 'size', size, 1)
  checkInteger('padding', 'side', side, 1)
  const tiles = Math.ceil(size / side)
  return { size, padded: tiles * side, tiles, waste: 1 - size / (tiles * side) }
}

/** A product of an m x k by a k x n matrix. */
export interface MatmulSizes {
  readonly m: number
  readonly k: number
  readonly n: number
  /** Side of the systolic array, default 128. */
  readonly side?: number
}

const names: OptionTable<MatmulSizes> = { m: 'required', k: 'required', n: 'required', side: 'optional' }

/** A matrix product as one systolic array computes it. */
export interface MatmulPadding {
  readonly padded: readonly [m: number, k: number, n: number]
  readonly usefulMacs: number
  readonly paddedMacs: number
  readonly utilisation: number
  /** The share of the weights' tiles that holds weights. */
  readonly weightUtilisation: number
  /** Tiles of weights that pass through the array. */
  readonly passes: number
  /** Padded rows for each of them; filling the array is hidden behind the rows before. */
  readonly cyclesOneMxu: number
}

/**
 * The padding of [m, k] x [k, n]: m to 8 rows, k and n to the side of the array.
 *
 * Shape     none. Dtype none. Rounding up to whole tiles.
 * Throws    RangeError for sizes that are not positive integers.
 *
 * @example matmulPadding({ m: 512, k: 64, n: 512 }).utilisation // 0.5
 * @example matmulPadding({ m: 512, k: 64, n: 512, side: 256 }).utilisation // 0.25
 */
export function matmulPadding(sizes: MatmulSizes): MatmulPadding {
  checkOptions('matmulPadding', sizes, names)
  const { m, k, n, side = 128 } = sizes
  for (const [name, size] of Object.entries({ m, k, n, side })) checkInteger('matmulPadding', name, size, 1)
  const rows = padding(m, 8).padded
  const [inner, columns] = [padding(k, side), padding(n, side)]
  const passes = inner.tiles * columns.tiles
  const usefulMacs = m * k * n
  const paddedMacs = rows * inner.padded * columns.padded
  return {
    padded: [rows, inner.padded, columns.padded],
    ...{ usefulMacs, paddedMacs, utilisation: usefulMacs / paddedMacs, passes, cyclesOneMxu: rows * passes },
    weightUtilisation: (k * n) / (inner.padded * columns.padded),
  }
}
