import {
  checkFlag,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { decodeTable, encoder, format } from '../formats/index.js'
import { type BlockwiseName, type BlockwiseType, blockwiseType } from './blockwiseType.js'
import { type CodeTables, tablesOf } from './nearestCode.js'

/** How numbers are cut into blocks and rounded. */
export interface BlockwiseOptions {
  /** False for numbers that are never negative, such as second moments: they have a map of their own. Default: true. */
  readonly signed?: boolean
  /** Numbers that share a scale. Default: 256, of 'torchao-4bit' 128. */
  readonly blockSize?: number
  /** A random word for each number: then it is rounded up or down at random. Default: nearest. */
  readonly words?: Uint32Array
}

/** Numbers in blocks: codes, and what they are multiplied by. */
export interface Blockwise {
  /** One a number, of 4 bits two in a byte, the first in the upper bits. */
  readonly codes: Uint8Array
  /** One a block: its largest magnitude, of 'torchao-fp8' that over 448. */
  readonly scales: Float32Array
}

const names: OptionTable<Omit<BlockwiseOptions, 'words'>> = { signed: 'optional', blockSize: 'optional' }

const { fround } = Math
const [least, torchLeast] = [fround(1e-38), fround(1e-12)]

/**
 * Numbers as codes in blocks that share a float32 scale, as 8-bit, 4-bit and fp8 optimizers store their moments.
 *
 *   | name                  | a code                                      | of numbers that are never negative |
 *   |-----------------------|---------------------------------------------|------------------------------------|
 *   | bitsandbytes-8bit     | the nearest of `dynamicMap()`               | dynamicMap({ signed: false })      |
 *   | bitsandbytes-cpu-8bit | that of the nearest of 65,536 even steps    | likewise                           |
 *   | torchao-8bit          | the nearest of `dynamicMap()`               | dynamicMap({ signed: false })      |
 *   | torchao-4bit          | dynamicMap({ bits: 4, exponentBits: 3 })    | 1/16, 2/16 .. 1: there is no 0     |
 *   | torchao-fp8           | a float8_e4m3fn                             | the same                           |
 *
 * Shape     a last block may be shorter. Codes 1 byte a number, of 'torchao-4bit' half a one; scales 4 bytes a block.
 * Rounding  the scale is exact (of 'torchao-fp8' the quotient by 448 is rounded). bitsandbytes multiplies by the rounded reciprocal of
 *           the scale, torchao divides; both in float32. Then to the nearest number of the map: bitsandbytes' ties go down, torchao's up,
 *           between bounds that each rounds in its own way. With `words`: up with the probability of the discarded fraction, cut to 32 bits.
 * Special   torchao's scales are 1e-12 at least. In a block with a NaN or an infinity the scale is that, and every code what the
 *           arithmetic makes of it; the native CPU kernel of bitsandbytes ignores a NaN. That kernel has no code of 0 beside a number
 *           of normal size: 0 becomes 2e-5 times the scale, below it there are no numbers.
 * Throws    TypeError for what is no Float32Array; RangeError for unknown names, and words that are not one a number.
 * Cost      5 to 20 ns a number, at random 20 to 40.
 * Source    bitsandbytes 0.50.2 (backends/default/ops.py; its native CPU library); torchao 0.18.0 (optim/quant_utils.py)
 *
 * @example toBlockwise(Float32Array.of(0.5, -2, 0), 'bitsandbytes-8bit').codes.join() // 201,0,127
 * @example toBlockwise(Float32Array.of(0.5, 2, 0), 'torchao-4bit', { signed: false }).codes.join() // 63,0
 */
export function toBlockwise(
  values: Float32Array,
  name: BlockwiseName,
  options: BlockwiseOptions = {},
): Blockwise {
  const op = 'toBlockwise'
  checkOptions(op, options, { ...names, words: 'optional' }, { positional: 'signed' })
  const { words, ...how } = options
  const settled = settle(op, name, how)
  checkValues(op, values, words)
  const scales = scalesOf(values, settled)
  return { codes: codesOf(values, scales, settled, words), scales }
}

/**
 * The scales of `toBlockwise` alone.
 *
 * Shape     one a block. Rounding, Special, Throws  as `toBlockwise`.
 *
 * @example blockwiseScales(Float32Array.of(0.5, -2, 0), 'torchao-8bit').join() // 2
 */
export function blockwiseScales(
  values: Float32Array,
  name: BlockwiseName,
  options: Omit<BlockwiseOptions, 'words'> = {},
): Float32Array {
  const settled = settle('blockwiseScales', name, options)
  checkValues('blockwiseScales', values, undefined)
  return scalesOf(values, settled)
}

/**
 * The codes of `toBlockwise` for scales that it has given.
 *
 * Shape     one a number, of 4 bits two in a byte. Rounding, Special  as `toBlockwise`.
 * Throws    as `toBlockwise`; RangeError where scales are not one a block.
 *
 * @example blockwiseCodes(Float32Array.of(0.5, -2, 0), Float32Array.of(2), 'torchao-8bit').join() // 201,0,127
 */
export function blockwiseCodes(
  values: Float32Array,
  scales: Float32Array,
  name: BlockwiseName,
  options: BlockwiseOptions = {},
): Uint8Array {
  const { words, ...how } = options
  const op = 'blockwiseCodes'
  const settled = settle(op, name, how)
  checkValues(op, values, words)
  checkScales(op, scales, values.length, settled.blockSize)
  return codesOf(values, scales, settled, words)
}

/**
 * The numbers that codes in blocks stand for: a number of the map times the scale, rounded once to float32.
 *
 * Shape     as many numbers as codes; `length` for an odd number of codes of 4 bits.
 * Throws    TypeError and RangeError as `toBlockwise`; RangeError where scales are not one a block.
 * Cost      2 to 4 ns a number.
 *
 * @example fromBlockwise(toBlockwise(Float32Array.of(0.5, -2, 0), 'torchao-8bit'), 'torchao-8bit').join() // 0.49531248211860657,-1.985937476158142,0
 */
export function fromBlockwise(
  blocks: Blockwise,
  name: BlockwiseName,
  options: Omit<BlockwiseOptions, 'words'> & {
    /** Numbers there were. Default: one for each code. */
    readonly length?: number
  } = {},
): Float32Array {
  const op = 'fromBlockwise'
  checkRecord(op, 'blocks', blocks, ['codes', 'scales'])
  const { length: given, ...how } = options
  const { type, blockSize } = settle(op, name, how)
  const { codes, scales } = blocks
  if (!(codes instanceof Uint8Array && scales instanceof Float32Array)) {
    throw new TypeError(
      `${op}: blocks are no Uint8Array of codes and Float32Array of scales [${typeof codes}]`,
    )
  }
  const most = type.codeBits === 4 ? 2 * codes.length : codes.length
  const length = given ?? most
  checkInteger(op, 'length', length, Math.max(0, type.codeBits === 4 ? most - 1 : most), most)
  checkScales(op, scales, length, blockSize)
  const table = type.map ?? decodeTable('float8_e4m3fn')
  const values = new Float32Array(length)
  for (let i = 0, block = 0; block < scales.length; block++) {
    const scale = scales[block]!
    const end = Math.min((block + 1) * blockSize, length)
    if (type.codeBits === 8) for (; i < end; i++) values[i] = table[codes[i]!]! * scale
    else for (; i < end; i++) values[i] = table[i & 1 ? codes[i >> 1]! & 15 : codes[i >> 1]! >> 4]! * scale
  }
  return values
}

interface Settled {
  readonly type: BlockwiseType
  readonly blockSize: number
}

function settle(op: string, name: BlockwiseName, options: Omit<BlockwiseOptions, 'words'>): Settled {
  checkOptions(op, options, names, { positional: 'signed' })
  const { signed = true } = options
  checkFlag(op, 'signed', signed)
  const type = blockwiseType(op, name, signed)
  const { blockSize = type.blockSize } = options
  checkInteger(op, 'blockSize', blockSize, 1)
  return { type, blockSize }
}

function checkValues(op: string, values: unknown, words: unknown): void {
  if (!(values instanceof Float32Array)) {
    throw new TypeError(`${op}: values are no Float32Array [${typeof values}]`)
  }
  if (words !== undefined && !(words instanceof Uint32Array && words.length === values.length)) {
    throw new RangeError(
      `${op}: words are not one a number [${words instanceof Uint32Array ? words.length : typeof words} of ${values.length}]`,
    )
  }
}

function checkScales(op: string, scales: unknown, length: number, blockSize: number): void {
  if (!(scales instanceof Float32Array)) {
    throw new TypeError(`${op}: scales are no Float32Array [${typeof scales}]`)
  }
  if (scales.length !== Math.ceil(length / blockSize)) {
    throw new RangeError(
      `${op}: scales are not one a block of ${blockSize} [${scales.length} for ${length} numbers]`,
    )
  }
}

function scalesOf(values: Float32Array, { type, blockSize }: Settled): Float32Array {
  const scales = new Float32Array(Math.ceil(values.length / blockSize))
  for (let block = 0; block < scales.length; block++) {
    const [from, to] = [block * blockSize, Math.min((block + 1) * blockSize, values.length)]
    const peak = largest(values, from, to, type.rule === 'bitsandbytes-cpu')
    scales[block] = scaleOf(type, peak, to - from === blockSize)
  }
  return scales
}

function codesOf(
  values: Float32Array,
  scales: Float32Array,
  { type, blockSize }: Settled,
  words: Uint32Array | undefined,
): Uint8Array {
  if (quotients.length < Math.min(blockSize, values.length)) {
    quotients = new Float32Array(blockSize)
    patterns = new Int32Array(quotients.buffer)
  }
  const codes = new Uint8Array(values.length)
  for (let block = 0; block < scales.length; block++) {
    const [from, to] = [block * blockSize, Math.min((block + 1) * blockSize, values.length)]
    const scale = scales[block]!
    // torch divides by a scale where bitsandbytes multiplies by its reciprocal, and so does bitsandbytes in a block that is not full.
    const divides = type.rule === 'torchao' || (type.rule === 'bitsandbytes' && to - from < blockSize)
    const by = divides ? scale : fround(1 / (type.rule === 'bitsandbytes' ? Math.max(scale, least) : scale))
    normalise(values, from, to, by, divides, codes, type, words)
  }
  return type.codeBits === 4 ? pack(codes) : codes
}

/** The largest magnitude: NaN where there is one, unless NaN are ignored. */
function largest(values: Float32Array, from: number, to: number, ignoresNaN: boolean): number {
  let peak = 0
  for (let i = from; i < to; i++) {
    const size = Math.abs(values[i]!)
    if (size > peak) peak = size
    else if (Number.isNaN(size) && !ignoresNaN) return Number.NaN
  }
  return peak
}

function scaleOf({ rule, map }: BlockwiseType, peak: number, whole: boolean): number {
  if (rule === 'bitsandbytes-cpu' || (rule === 'bitsandbytes' && whole)) return peak
  if (rule === 'bitsandbytes') return Math.max(peak, least)
  const scale = Math.max(peak, torchLeast)
  return map ? scale : fround(scale / format('float8_e4m3fn').max)
}

/** A block over its scale, and the patterns of those numbers. */
let quotients = new Float32Array(256)
let patterns = new Int32Array(quotients.buffer)

/** Numbers over their scale, and each one's code. */
function normalise(
  values: Float32Array,
  from: number,
  to: number,
  by: number,
  divides: boolean,
  codes: Uint8Array,
  type: BlockwiseType,
  words: Uint32Array | undefined,
): void {
  const limited = type.rule !== 'torchao'
  for (let i = from; i < to; i++) {
    const quotient = divides ? values[i]! / by : values[i]! * by
    quotients[i - from] = limited ? Math.max(-1, Math.min(quotient, 1)) : quotient
  }
  if (!type.map) toEight(codes, from, to, words)
  else if (words === undefined) toNearest(codes, from, to, tablesOf(type))
  else toRandom(codes, from, to, type.map, tablesOf(type), words)
}

function toNearest(codes: Uint8Array, from: number, to: number, { first, bounds }: CodeTables): void {
  const last = bounds.length
  for (let i = from; i < to; i++) {
    const x = quotients[i - from]!
    let code = first[patterns[i - from]! >>> 16]!
    while (code < last && x >= bounds[code]!) code++
    codes[i] = code
  }
}

/** The code of one of the two neighbours of a number, the upper with the probability of its distance from the lower; the end of the map beyond it. */
function toRandom(
  codes: Uint8Array,
  from: number,
  to: number,
  map: Float32Array,
  { first, bounds }: CodeTables,
  words: Uint32Array,
): void {
  const last = bounds.length
  for (let i = from; i < to; i++) {
    const x = quotients[i - from]!
    // From the nearest code, of whose rule nothing is left, to the largest number below.
    let code = first[patterns[i - from]! >>> 16]!
    while (code < last && x >= map[code + 1]!) code++
    while (code > 0 && x < map[code]!) code--
    const below = map[code]!
    if (code < last && x > below) {
      const fraction = (x - below) / (map[code + 1]! - below)
      if (words[i]! < Math.floor(fraction * 2 ** 32)) code++
    }
    codes[i] = code
  }
}

let random = 0
let [eight, eightAtRandom]: ((value: number) => number)[] = []

/** At random saturating, as the quotient of the largest magnitude by a rounded scale may be just above 448. */
function toEight(codes: Uint8Array, from: number, to: number, words: Uint32Array | undefined): void {
  eight ??= encoder('float8_e4m3fn')
  eightAtRandom ??= encoder('float8_e4m3fn', { rounding: 'stochastic', saturate: true, random: () => random })
  for (let i = from; i < to; i++) {
    random = words === undefined ? 0 : words[i]!
    codes[i] = (words === undefined ? eight : eightAtRandom)(quotients[i - from]!)
  }
}

/** Two codes of 4 bits a byte, the first in the upper bits. */
function pack(codes: Uint8Array): Uint8Array {
  const bytes = new Uint8Array((codes.length + 1) >> 1)
  for (let i = 0; i < codes.length; i++) bytes[i >> 1]! |= i & 1 ? codes[i]! : codes[i]! << 4
  return bytes
}
