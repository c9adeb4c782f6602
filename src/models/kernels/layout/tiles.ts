import { checkInteger, checkOptions, type OptionTable, shown } from '../../../base/options/index.js'
import {
  checkTensor,
  type DType,
  pad,
  reshape,
  type Shape,
  slice,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'

/** The layout of an array in tiles. */
export interface TileOptions {
  /** Rows and columns of a tile of a matrix; height and width of one of a batch of images. */
  readonly tile: readonly [rows: number, columns: number]
  /** Rows that share a 32-bit word: 2 for bfloat16, 4 for 8 bits; matrices only. Default 1. */
  readonly pack?: number
}

/** What the way back has to know as well. */
export interface FromTilesOptions extends TileOptions {
  /** The shape before padding. */
  readonly shape: Shape
}

const toNames: OptionTable<TileOptions> = { tile: 'required', pack: 'optional' }
const fromNames: OptionTable<FromTilesOptions> = { ...toNames, shape: 'required' }

/**
 * An array in the order in which a TPU holds its tiles, padded with zeros to whole ones.
 *
 * Shape     a matrix [r, c] -> [tiles down, tiles across, rows / pack, columns, pack], the row of a tile being word x pack + place;
 *           images [b, h, w, c] -> [b, tiles down, tiles across, rows, columns, c], which puts c, usually small, on the lanes.
 * Rounding  none: elements are moved.
 * Gradient  the way back.
 * Throws    RangeError for a tile of 0 and a pack that does not divide its rows.
 * Source    JAX, Pallas TPU guide: tiles of 8 x 128 words
 *
 * @example toTiles(tensor([[1, 2, 3], [4, 5, 6]]), { tile: [2, 2], pack: 2 }).toNested() // [[[[[1, 4], [2, 5]]], [[[3, 6], [0, 0]]]]]
 */
export function toTiles<D extends DType>(x: Tensor<D>, options: TileOptions): Tensor<D> {
  checkTensor('toTiles', x)
  checkOptions('toTiles', options, toNames, { positional: 'tile' })
  const { rows, columns, down, across, pack } = grid('toTiles', x.shape, options)
  if (x.rank === 2) {
    const [r, c] = x.shape as [number, number]
    const whole = pad(x, [
      [0, down * rows - r],
      [0, across * columns - c],
    ])
    const split = reshape(whole, [down, rows / pack, pack, across, columns])
    return transpose(split, [0, 3, 1, 4, 2])
  }
  const [b, h, w, c] = x.shape as [number, number, number, number]
  const whole = pad(x, [
    [0, 0],
    [0, down * rows - h],
    [0, across * columns - w],
    [0, 0],
  ])
  return transpose(reshape(whole, [b, down, rows, across, columns, c]), [0, 1, 3, 2, 4, 5])
}

/**
 * The array that `toTiles` cut up, without the padding.
 *
 * Shape     `shape`. Rounding none. Gradient zeros for the padding.
 *
 * @example fromTiles(toTiles(tensor([[1, 2, 3]]), { tile: [2, 2] }), { tile: [2, 2], shape: [1, 3] }).toNested() // [[1, 2, 3]]
 */
export function fromTiles<D extends DType>(tiles: Tensor<D>, options: FromTilesOptions): Tensor<D> {
  checkTensor('fromTiles', tiles)
  checkOptions('fromTiles', options, fromNames, { positional: 'shape' })
  const shape: Shape = options.shape
  if (!Array.isArray(options.shape)) throw new TypeError(`fromTiles: shape is not a list [${shown(shape)}]`)
  for (const length of shape as readonly unknown[]) checkInteger('fromTiles', 'shape', length)
  const { rows, columns, down, across, pack } = grid('fromTiles', shape, options)
  const wanted =
    shape.length === 2
      ? [down, across, rows / pack, columns, pack]
      : [shape[0]!, down, across, rows, columns, shape[3]!]
  if (wanted.join() !== tiles.shape.join()) {
    throw new RangeError(`fromTiles: tiles are not [${wanted.join(', ')}] [${tiles.shape.join(', ')}]`)
  }
  if (shape.length === 2) {
    const whole = reshape(transpose(tiles, [0, 2, 4, 1, 3]), [down * rows, across * columns])
    return slice(whole, [
      [0, shape[0]!],
      [0, shape[1]!],
    ])
  }
  const [b = 0, h = 0, w = 0, c = 0] = shape
  const whole = reshape(transpose(tiles, [0, 1, 3, 2, 4, 5]), [b, down * rows, across * columns, c])
  return slice(whole, [null, [0, h], [0, w]])
}

interface Grid {
  readonly rows: number
  readonly columns: number
  readonly down: number
  readonly across: number
  readonly pack: number
}

function grid(op: string, shape: Shape, { tile, pack = 1 }: TileOptions): Grid {
  if (!Array.isArray(tile) || tile.length !== 2) {
    throw new TypeError(`${op}: tile is not [rows, columns] [${shown(tile)}]`)
  }
  for (const length of tile as readonly unknown[]) checkInteger(op, 'tile', length, 1)
  checkInteger(op, 'pack', pack, 1)
  if (shape.length !== 2 && shape.length !== 4) {
    throw new RangeError(`${op}: neither a matrix nor images [b, h, w, c] [${shape.join(', ')}]`)
  }
  const [rows, columns] = tile as readonly [number, number]
  if (rows % pack !== 0) throw new RangeError(`${op}: pack does not divide the rows of a tile [${pack}]`)
  if (shape.length === 4 && pack !== 1) throw new RangeError(`${op}: images are not packed [${pack}]`)
  const [r, c] = shape.length === 2 ? shape : shape.slice(1, 3)
  return { rows, columns, down: Math.ceil(r! / rows), across: Math.ceil(c! / columns), pack }
}
