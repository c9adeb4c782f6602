import { checkInteger, checkName, checkOptions, type OptionTable } from '../../../base/options/index.js'
import {
  type BlockQuantized,
  blockElement,
  blockValues,
  decodeArray,
  dequantizeBlocks,
  type FormatName,
  format as formatOf,
  quantizeBlocks,
  type ScaleMode,
} from '../../../numbers/formats/index.js'
import { arena, threefryBlocks } from '../../../numbers/simd/index.js'
import { type BlockSchemeName, blockSchemes, padRows, quantizeArray } from '../../../tensors/blocks/index.js'
import { bits, foldIn, type Key } from '../../../tensors/random/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'
import { checkFp8 } from '../fp8/checkFp8.js'
import { checkTile, scaleTiles, timesTiles } from '../fp8/scaleTiles.js'

/** How elements are rounded: gradients at random, so that what is lost in one step is made good in others. */
interface ElementRounding {
  /** Default 'nearest-even'. */
  readonly rounding?: 'nearest-even' | 'stochastic'
  /** How many bits of each word 'stochastic' uses: 1 .. 32. Default 32. */
  readonly randomBits?: number
}

/** An operand in blocks of a scheme along the dimension that is summed over, filled with zeros to whole blocks. */
export interface BlockOperand extends ElementRounding {
  readonly scheme: BlockSchemeName
  /** How many neighbours across that dimension share a scale: 16 for NVFP4's 16 x 16 blocks of weights. Default 1. */
  readonly blockRows?: number
  /** The rule of an MX scale. Default 'floor'. */
  readonly scale?: ScaleMode
  /** Of 'nvfp4': the second level. Default 'amax'. */
  readonly tensorScale?: number | 'amax'
}

/** An operand in tiles with a float scale, codes times it: DeepSeek-V3's, one scale a row, one for the tensor. */
export interface TileOperand extends ElementRounding {
  /** How many neighbours across the dimension that is summed over, and along it, share a scale. */
  readonly tile: readonly [across: number | 'all', along: number | 'all']
  /** Scales as they come, or raised to powers of two. Default 'float32'. */
  readonly scale?: 'float32' | 'pow2'
  /** Default 'float8_e4m3fn'. */
  readonly format?: FormatName
}

/** How one operand of a product is quantised; undefined: as it is. */
export type OperandQuantization = BlockOperand | TileOperand

const roundingNames: OptionTable<ElementRounding> = { rounding: 'optional', randomBits: 'optional' }
const blockNames: OptionTable<BlockOperand> = {
  ...{ scheme: 'required', blockRows: 'optional', scale: 'optional', tensorScale: 'optional' },
  ...roundingNames,
}
const tileNames: OptionTable<TileOperand> = {
  ...{ tile: 'required', scale: 'optional', format: 'optional' },
  ...roundingNames,
}

const isBlocks = (how: OperandQuantization): how is BlockOperand => 'scheme' in how

/** Throws unless it says how an operand is quantised. */
export function checkOperandQuantization(op: string, how: OperandQuantization): void {
  if (typeof how === 'object' && how !== null && isBlocks(how)) {
    checkOptions(op, how, blockNames)
    checkName(op, 'scheme', how.scheme, Object.keys(blockSchemes))
    checkInteger(op, 'blockRows', how.blockRows ?? 1, 1)
    quantizeBlocks(new Float32Array(0), { ...blocksOf(how), ...(isDrawn(how) && { random: () => 0 }) })
    return
  }
  checkOptions(op, how, tileNames, { positional: 'tile' })
  checkTile(op, how.tile)
  checkName(op, 'scale', how.scale ?? 'float32', ['float32', 'pow2'])
  checkFp8(op, how.format ?? 'float8_e4m3fn')
  checkName(op, 'rounding', how.rounding ?? 'nearest-even', ['nearest-even', 'stochastic'])
  if (how.randomBits !== undefined) checkInteger(op, 'randomBits', how.randomBits, 1, 32)
}

/** Whether it draws, for which it needs a key. */
export function isDrawn(how: OperandQuantization | undefined): boolean {
  return how?.rounding === 'stochastic'
}

/** The length that blocks divide; 1 where tiles may be shorter at the edge. */
export function wholeLength(how: OperandQuantization | undefined): number {
  return how && isBlocks(how) ? blockSchemes[how.scheme].blockSize! : 1
}

function blocksOf({ scheme, scale, tensorScale, rounding, randomBits }: BlockOperand) {
  const { element, blockSize = 32, scheme: kind = 'mx' } = blockSchemes[scheme]
  const level = kind === 'nvfp4' ? (tensorScale ?? 'amax') : tensorScale
  return {
    ...{ element, blockSize, scheme: kind },
    ...(scale !== undefined && { scale }),
    ...(level !== undefined && { tensorScale: level }),
    ...(rounding !== undefined && { rounding }),
    ...(randomBits !== undefined && { randomBits }),
  }
}

/** An operand as a product takes it: [rows, length], the summed dimension contiguous. */
export interface CodedOperand {
  /** What the elements are multiplied and added as; block scales are in them, which float32 holds. */
  readonly values: Float32Array
  /** What a part of a row is multiplied by after it was summed: undefined where there is nothing. */
  readonly scales: TileScales | undefined
  /** What the finished sum is multiplied by. */
  readonly alpha: number
  /** The blocks, where there are some. */
  readonly blocks?: BlockQuantized
}

/** The float scales of tiles. */
export interface TileScales {
  readonly values: Float32Array
  /** Tiles along a row. */
  readonly across: number
  readonly tile: readonly [rows: number, columns: number]
}

/** An operand of whole blocks, quantised. The words of 'stochastic' are those of the key, word i for element i. */
export function codedOperand(
  values: Float32Array,
  [rows, length]: readonly [number, number],
  how: OperandQuantization | undefined,
  key: Key | undefined,
): CodedOperand {
  if (!how || values.length === 0) return { values, scales: undefined, alpha: 1 }
  if (!isBlocks(how)) {
    const { rounding, randomBits, ...tiles } = how
    const drawn = rounding === 'stochastic' && {
      ...{ rounding, key: key! },
      ...(randomBits !== undefined && { randomBits }),
    }
    const { codes, scales, tile } = scaleTiles(new Tensor('float32', [rows, length], values), {
      ...tiles,
      ...drawn,
    })
    return {
      values: decodeArray(codes.data, formatOf(codes.dtype)),
      scales: { values: scales.data, across: scales.shape[1]!, tile },
      alpha: 1,
    }
  }
  const { blockRows = 1 } = how
  const random = isDrawn(how) ? wordsOf(key!, values.length) : undefined
  const blocks = quantizeArray(values, {
    ...blocksOf(how),
    ...(blockRows > 1 && { blockRows, rowLength: length }),
    ...(random && { random }),
  })
  // Without the tensor's scale, which comes last: element times block scale has at most 8 significant bits.
  const { elements, multipliers } = blockValues({ ...blocks, tensorScale: 1 })
  const { scales, codes, blockSize, tensorScale } = blocks
  const out = new Float32Array(codes.length)
  for (let block = 0, i = 0; block < scales.length; block++) {
    const multiplier = multipliers[scales[block]!]!
    for (const end = i + blockSize; i < end; i++) out[i] = elements[codes[i]!]! * multiplier
  }
  return { values: out, scales: undefined, alpha: tensorScale, blocks }
}

/** `random.bits(key, count)`, through WebAssembly where the machine has it. */
function wordsOf(key: Key, count: number): Uint32Array {
  const simd = arena('simd')
  if (!simd) return bits(key, count)
  const words = new Uint32Array(count)
  threefryBlocks(simd, key.data, words)
  return words
}

/** The float32 numbers that an operand's codes and scales stand for. */
export function restoredOperand(
  { values, scales, blocks }: CodedOperand,
  [, length]: readonly [number, number],
): Float32Array {
  if (blocks) return dequantizeBlocks(blocks)
  return scales ? timesTiles(values, scales.values, length, scales.tile) : values
}

/** The largest magnitude that each element may have without being clipped; NaN where its block is. */
export function operandLimits(
  { values, scales, blocks }: CodedOperand,
  [, length]: readonly [number, number],
  how: OperandQuantization,
): Float32Array {
  if (blocks) {
    const { max } = blockElement(blocks.element)
    const { multipliers } = blockValues(blocks)
    return values.map((_, i) => max * multipliers[blocks.scales[Math.floor(i / blocks.blockSize)]!]!)
  }
  const { max } = formatOf(isBlocks(how) ? 'float8_e4m3fn' : (how.format ?? 'float8_e4m3fn'))
  const limits = new Float32Array(values.length).fill(max)
  return scales ? timesTiles(limits, scales.values, length, scales.tile) : limits
}

/** Rows filled with zeros to whole blocks. */
export function paddedRows(values: Float32Array, length: number, whole: number): Float32Array {
  return length === 0 ? values : padRows(values, length, whole)
}

/** The key of one operand of one product: each draws other words. */
export const streamOf = (key: Key | undefined, stream: number): Key | undefined => key && foldIn(key, stream)
