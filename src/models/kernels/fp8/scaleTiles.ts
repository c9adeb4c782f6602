import {
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import {
  decodeArray,
  type EncodeOptions,
  encodeArray,
  type FormatName,
  format as formatOf,
} from '../../../numbers/formats/index.js'
import { bits, type Key } from '../../../tensors/random/index.js'
import {
  cast,
  checkTensor,
  holds,
  isFloat,
  type Storage,
  Tensor,
  untraced,
} from '../../../tensors/tensor/index.js'
import { checkFp8 } from './checkFp8.js'

/** How a matrix is cut into tiles that share a scale. */
export interface ScaleTilesOptions<F extends FormatName = FormatName> {
  /**
   * Rows and columns of a tile: 1 x 128 for activations, 128 x 128 for weights; 'all' of them: [1, 'all'] is a scale a row, ['all', 'all']
   * one for the tensor.
   */
  readonly tile: readonly [rows: number | 'all', columns: number | 'all']
  /** Scales as they come, or raised to a power of two. Default 'float32'. */
  readonly scale?: 'float32' | 'pow2'
  /** Default 'float8_e4m3fn'. */
  readonly format?: F
  /** How elements are rounded; scales are rounded to nearest in either case. Default 'nearest-even'. */
  readonly rounding?: 'nearest-even' | 'stochastic'
  /** Of rounding 'stochastic': what its words are drawn from, `random.bits(key, x.size)`, word i for element i. Required there. */
  readonly key?: Key
  /** How many bits of a word 'stochastic' uses, the upper ones: 1 .. 32. Default 32. */
  readonly randomBits?: number
}

/** A matrix as codes and scales: an element is its code times the scale of its tile. */
export interface ScaledTiles<F extends FormatName = FormatName> {
  /** The shape of the matrix. */
  readonly codes: Tensor<F>
  /** One scale a tile, those at the edge included. */
  readonly scales: Tensor<'float32'>
  readonly tile: readonly [rows: number, columns: number]
}

const names: OptionTable<ScaleTilesOptions> = {
  ...{ tile: 'required', scale: 'optional', format: 'optional' },
  ...{ rounding: 'optional', key: 'optional', randomBits: 'optional' },
}

/** Below it a tile's largest magnitude counts as this: a scale must not underflow. */
const least = Math.fround(1e-4)

/**
 * A matrix in tiles, each scaled so that its largest magnitude is the format's largest value.
 *
 * Shape     x [rows, columns] -> codes the same, scales [tiles down, tiles across], the last tiles may be shorter.
 * Dtype     x a float that float32 holds; codes in `format`, scales float32.
 * Rounding  scale = max(largest magnitude, 1e-4) / largest value, once; raised to a power of two where that is asked for; codes of
 *           x times (1 / scale), both once to float32, then to the format, saturating, to nearest or at random.
 * Special   NaN or Inf makes its tile NaN.
 * Gradient  none: `blockScaledMatmul` has one.
 * Source    deepseek-ai/DeepGEMM; TransformerEngine's Float8BlockScaling raises to powers of two
 *
 * @example scaleTiles(tensor([[448, 1], [2, 4]]), { tile: [1, 2] }).scales.toNested() // [[1], [0.008928571827709675]]
 */
export function scaleTiles<F extends FormatName = 'float8_e4m3fn'>(
  x: Tensor,
  options: ScaleTilesOptions<F>,
): ScaledTiles<F> {
  checkTensor('scaleTiles', x)
  checkOptions('scaleTiles', options, names, { positional: 'tile' })
  const { scale = 'float32', format = 'float8_e4m3fn' as F } = options
  checkTile('scaleTiles', options.tile)
  checkName('scaleTiles', 'scale', scale, ['float32', 'pow2'])
  checkFp8('scaleTiles', format)
  if (!isFloat(x.dtype) || !holds('float32', x.dtype)) {
    throw new TypeError(`scaleTiles: needs a float that float32 holds, cast first [${x.dtype}]`)
  }
  if (x.rank !== 2) throw new RangeError(`scaleTiles: x is no matrix [${x.shape.join(', ')}]`)
  const [rows, columns] = x.shape as [number, number]
  const tile = tileOf(options.tile, rows, columns)
  const encoding = encodingOf('scaleTiles', options, x.size)
  const values = cast(untraced(x), 'float32').data
  const across = Math.ceil(columns / tile[1])
  const scales = largestOf(values, x.shape, tile)
  const goal = formatOf(format).max
  for (let i = 0; i < scales.length; i++) {
    const own = Math.fround(Math.max(scales[i]!, least) / goal)
    scales[i] = scale === 'pow2' ? raised(own) : own
  }
  const inverses = scales.map((one) => 1 / one)
  const scaled = timesTiles(values, inverses, columns, tile)
  const codes = encodeArray(scaled, format, encoding) as Storage<F>
  return {
    codes: new Tensor(format, x.shape, codes),
    scales: new Tensor('float32', [across === 0 ? 0 : scales.length / across, across], scales),
    tile,
  }
}

/** Throws unless a tile is two lengths, of which each may be 'all'. */
export function checkTile(op: string, tile: unknown): void {
  if (!Array.isArray(tile) || tile.length !== 2) {
    throw new TypeError(`${op}: tile is not [rows, columns] [${shown(tile)}]`)
  }
  for (const length of tile as readonly unknown[]) if (length !== 'all') checkInteger(op, 'tile', length, 1)
}

/** A tile in numbers. */
export function tileOf(
  tile: readonly [number | 'all', number | 'all'],
  rows: number,
  columns: number,
): readonly [rows: number, columns: number] {
  return [tile[0] === 'all' ? Math.max(1, rows) : tile[0], tile[1] === 'all' ? Math.max(1, columns) : tile[1]]
}

/** How scaled elements become codes: to nearest, or by words drawn from the key. */
export function encodingOf(
  op: string,
  { rounding = 'nearest-even', key, randomBits }: Omit<ScaleTilesOptions, 'tile'>,
  size: number,
): EncodeOptions {
  checkName(op, 'rounding', rounding, ['nearest-even', 'stochastic'])
  if (rounding !== 'stochastic') {
    if (key !== undefined || randomBits !== undefined) {
      throw new RangeError(`${op}: key and randomBits are for rounding 'stochastic' [${rounding}]`)
    }
    return { saturate: true }
  }
  if (key === undefined) throw new RangeError(`${op}: 'stochastic' needs a key [undefined]`)
  const words = bits(key, size)
  let next = 0
  const random = (): number => words[next++]!
  return { saturate: true, rounding, random, ...(randomBits !== undefined && { randomBits }) }
}

/** The largest magnitude of every tile; NaN and Inf as NaN. */
function largestOf(
  values: Float32Array,
  [rows, columns]: readonly number[],
  [down, right]: readonly [number, number],
): Float32Array {
  const across = Math.ceil(columns! / right)
  const largest = new Float32Array(Math.ceil(rows! / down) * across)
  const words = new Int32Array(values.buffer, values.byteOffset, values.length)
  // Magnitudes are in the order of their bits.
  const most = new Int32Array(largest.buffer)
  for (let i = 0, at = 0; i < rows!; i++) {
    let tile = Math.floor(i / down) * across
    for (let j = 0; j < columns!; tile++) {
      const end = at + Math.min(right, columns! - j)
      j += right
      most[tile] = largestBits(words, at, end, most[tile]!)
      at = end
    }
  }
  for (let tile = 0; tile < most.length; tile++) if (most[tile]! >= infinityBits) largest[tile] = Number.NaN
  return largest
}

const infinityBits = 0x7f800000

function largestBits(words: Int32Array, from: number, to: number, first: number): number {
  let largest = first
  for (let i = from; i < to; i++) {
    // The larger of two without a branch.
    const lead = largest - (words[i]! & 0x7fffffff)
    largest -= lead & (lead >> 31)
  }
  return largest
}

/** Each element of a matrix times the factor of its tile, once to float32. */
export function timesTiles(
  values: Float32Array,
  factors: Float32Array,
  columns: number,
  [down, right]: readonly [number, number],
): Float32Array {
  const out = new Float32Array(values.length)
  const across = Math.ceil(columns / right)
  for (let i = 0, at = 0; at < values.length; i++) {
    let tile = Math.floor(i / down) * across
    for (let j = 0; j < columns; j += right, tile++) {
      const factor = factors[tile]!
      for (const end = at + Math.min(right, columns - j); at < end; at++) out[at] = values[at]! * factor
    }
  }
  return out
}

/** The least power of two that is not below a float32. */
function raised(scale: number): number {
  const exponent = Math.floor(Math.log2(scale))
  // log2 may be off by an ulp beside a power of two: both neighbours are asked.
  return (
    [exponent - 1, exponent, exponent + 1].map((e) => 2 ** e).find((power) => power >= scale) ?? Number.NaN
  )
}

/** The numbers that codes and scales stand for, each rounded once to float32. */
export function tileValues({ codes, scales, tile }: ScaledTiles): Float32Array {
  const values = decodeArray(codes.data, formatOf(codes.dtype))
  return timesTiles(values, scales.data, codes.shape[1]!, tile)
}
