import { checkInteger, checkOptions, nameAdvice, type OptionTable, shown } from '../../base/options/index.js'
import { type FormatName, format } from './catalogue.js'
import { floorLog2 } from './encode.js'
import { roundingRule } from './rounding.js'

/** What the elements of a block may be: the formats of OCP MX v1.0, 'int8' being its MXINT8, code / 64. */
export type BlockElement =
  | 'float8_e4m3fn'
  | 'float8_e5m2'
  | 'float6_e2m3fn'
  | 'float6_e3m2fn'
  | 'float4_e2m1fn'
  | 'int8'

/** How an MX block's power of two follows from its largest magnitude: see `quantizeBlocks`. */
export type ScaleMode = 'floor' | 'rceil' | 'ceil' | 'even'

/** 'mx': a power of two a block. 'nvfp4': a float8_e4m3fn a block, times one float32. */
export type BlockScheme = 'mx' | 'nvfp4'

/** How to quantise in blocks. */
export interface BlockOptions {
  readonly element: BlockElement
  /** Values that share a scale. Default 32, for 'nvfp4' 16. */
  readonly blockSize?: number
  /** Of 'mx' only. Default 'floor', as OCP MX v1.0 has it. */
  readonly scale?: ScaleMode
  /** Default 'mx'. 'nvfp4' has elements float4_e2m1fn. */
  readonly scheme?: BlockScheme
  /** Of 'nvfp4' only: 1 for the one-level scheme (default), 'amax' for the two-level one, or its float32. */
  readonly tensorScale?: number | 'amax'
  /**
   * Rows whose blocks share one scale, which is written for each of them: 16 for NVFP4's 16 x 16 blocks of weights. The last rows may be
   * fewer. Default 1; more need `rowLength`.
   */
  readonly blockRows?: number
  /** The length of a row of the values, which blocks divide. Only with `blockRows`. */
  readonly rowLength?: number
  /** How elements are rounded; scales are rounded to nearest in either case. Default 'nearest-even'. */
  readonly rounding?: 'nearest-even' | 'stochastic'
  /** Source of uint32 words, needed by 'stochastic': one for each value, in their order, whatever the value; or the words themselves. */
  readonly random?: (() => number) | Uint32Array
  /** How many bits 'stochastic' uses, the upper ones of each word: 1 .. 32. Default 32. */
  readonly randomBits?: number
}

/** Numbers in blocks: element code i belongs to scale code floor(i / blockSize). */
export interface BlockQuantized {
  readonly scheme: BlockScheme
  readonly element: BlockElement
  readonly blockSize: number
  /** The float32 that every block scale is multiplied by; 1 where there is no second level. */
  readonly tensorScale: number
  /** float8_e8m0fnu codes ('mx') or float8_e4m3fn codes ('nvfp4'). */
  readonly scales: Uint8Array
  /** One code a byte, in its low bits. */
  readonly codes: Uint8Array
}

/** The facts of an element format that block scaling asks for. */
export interface ElementFacts {
  readonly name: BlockElement
  /** Width of a code. */
  readonly bits: number
  readonly mantissaBits: number
  readonly max: number
  /** floor(log2 max). */
  readonly emax: number
  /** What fills a block whose scale is NaN; it says nothing. */
  readonly filler: number
}

const elements: Readonly<Record<BlockElement, ElementFacts>> = {
  float8_e4m3fn: floatFacts('float8_e4m3fn'),
  float8_e5m2: floatFacts('float8_e5m2'),
  float6_e2m3fn: floatFacts('float6_e2m3fn'),
  float6_e3m2fn: floatFacts('float6_e3m2fn'),
  float4_e2m1fn: floatFacts('float4_e2m1fn'),
  int8: { name: 'int8', bits: 8, mantissaBits: 6, max: 127 / 64, emax: 0, filler: 0 },
}

function floatFacts(name: BlockElement & FormatName): ElementFacts {
  const { bits, mantissaBits, max, nan, magnitudeMask } = format(name)
  return { name, bits, mantissaBits, max, emax: floorLog2(max), filler: nan === 'none' ? 0 : magnitudeMask }
}

/** The element formats, widest first. */
export const blockElements: readonly BlockElement[] = Object.freeze(Object.keys(elements) as BlockElement[])

/**
 * The facts of an element format.
 *
 * Throws    TypeError for an unknown name, in the name of `op`.
 *
 * @example blockElement('float8_e5m2').emax // 15
 * @example blockElement('int8').max // 1.984375
 */
export function blockElement(element: BlockElement, op = 'blockElement'): ElementFacts {
  if (Object.hasOwn(elements, element)) return elements[element]
  throw new TypeError(`${op}: unknown element, ${nameAdvice(element, blockElements)} [${shown(element)}]`)
}

/** Options checked and complete. */
export type BlockRule = Required<Omit<BlockOptions, 'rowLength' | 'rounding' | 'random' | 'randomBits'>> & {
  /** Undefined where rows share no scale. */
  readonly rowLength: number | undefined
  /** A word for each of so many values; undefined: to nearest even. */
  readonly words: ((count: number) => Uint32Array) | undefined
}

/** What every tensor scale lies within: below, its reciprocal over a scale overflows; above, its product with one. */
export const tensorScaleRange: readonly [number, number] = [2 ** -121, 2 ** 119]

const modes: readonly ScaleMode[] = ['floor', 'rceil', 'ceil', 'even']

const blockNames: OptionTable<BlockOptions> = {
  element: 'required',
  blockSize: 'optional',
  scale: 'optional',
  scheme: 'optional',
  tensorScale: 'optional',
  ...{ blockRows: 'optional', rowLength: 'optional' },
  ...{ rounding: 'optional', random: 'optional', randomBits: 'optional' },
}

/** Checks options once. */
export function blockRule(op: string, options: BlockOptions): BlockRule {
  checkOptions(op, options, blockNames, { positional: 'element' })
  const { element, scheme = 'mx', scale = 'floor', tensorScale = 1 } = options
  blockElement(element, op)
  checkScheme(op, scheme, element)
  const { blockSize = scheme === 'mx' ? 32 : 16 } = options
  if (!Number.isInteger(blockSize) || blockSize < 1 || blockSize > 2 ** 24) {
    throw new RangeError(`${op}: blockSize is no whole number from 1 to 2^24 [${String(blockSize)}]`)
  }
  if (!modes.includes(scale)) {
    throw new RangeError(`${op}: scale is none of ${modes.join(' ')} [${String(scale)}]`)
  }
  if (scheme === 'nvfp4' && options.scale !== undefined) {
    throw new RangeError(`${op}: scale modes are for scheme 'mx' [${scale}]`)
  }
  if (scheme === 'mx' && tensorScale !== 1) {
    throw new RangeError(`${op}: a tensorScale is for scheme 'nvfp4' [${String(tensorScale)}]`)
  }
  return {
    ...{ element, scheme, scale, blockSize, ...rowsOf(op, options, blockSize) },
    tensorScale: tensorScale === 'amax' ? tensorScale : checkedTensorScale(op, tensorScale),
    words: wordsOf(op, options),
  }
}

/** How many rows share a scale, and how long they are. */
function rowsOf(
  op: string,
  { blockRows = 1, rowLength }: BlockOptions,
  blockSize: number,
): Pick<BlockRule, 'blockRows' | 'rowLength'> {
  checkInteger(op, 'blockRows', blockRows, 1)
  if (rowLength === undefined) {
    if (blockRows > 1) throw new RangeError(`${op}: blockRows needs rowLength [${blockRows}]`)
    return { blockRows, rowLength }
  }
  checkInteger(op, 'rowLength', rowLength, 1)
  if (rowLength % blockSize !== 0) {
    throw new RangeError(`${op}: blocks of ${blockSize} do not divide rowLength [${rowLength}]`)
  }
  return { blockRows, rowLength }
}

/** The words that elements are rounded by, as `roundingRule` completes them; undefined: to nearest even. */
function wordsOf(
  op: string,
  { rounding = 'nearest-even', random, randomBits }: BlockOptions,
): BlockRule['words'] {
  if (rounding !== 'nearest-even' && rounding !== 'stochastic') {
    throw new RangeError(`${op}: rounding is neither nearest-even nor stochastic [${String(rounding)}]`)
  }
  if (rounding === 'stochastic') {
    const source = random instanceof Uint32Array ? () => 0 : random
    const given = {
      rounding,
      ...(source && { random: source }),
      ...(randomBits !== undefined && { randomBits }),
    }
    const { random: next } = roundingRule(given)
    if (random instanceof Uint32Array) return (count) => completed(op, random, count, randomBits)
    return (count) => {
      const words = new Uint32Array(count)
      for (let i = 0; i < count; i++) words[i] = next()
      return words
    }
  }
  if (random !== undefined || randomBits !== undefined) {
    throw new RangeError(`${op}: random and randomBits are for rounding 'stochastic' [${rounding}]`)
  }
  return undefined
}

/** Words with ones for the bits that are not used, as `roundingRule` has them. */
function completed(op: string, words: Uint32Array, count: number, randomBits = 32): Uint32Array {
  if (words.length !== count) {
    throw new RangeError(`${op}: needs a word for each value [${words.length} words, ${count} values]`)
  }
  const unused = 2 ** (32 - randomBits) - 1
  return unused === 0 ? words : words.map((word) => word | unused)
}

/** Throws unless the scheme is known and its elements are of this format. */
export function checkScheme(op: string, scheme: BlockScheme, element: BlockElement): void {
  if (scheme !== 'mx' && scheme !== 'nvfp4') {
    throw new RangeError(`${op}: scheme is none of mx nvfp4 [${String(scheme)}]`)
  }
  if (scheme === 'nvfp4' && element !== 'float4_e2m1fn') {
    throw new TypeError(`${op}: scheme 'nvfp4' has elements float4_e2m1fn [${element}]`)
  }
}

/** The tensor scale as float32. */
export function checkedTensorScale(op: string, tensorScale: number): number {
  const [low, high] = tensorScaleRange
  if (!(tensorScale >= low && tensorScale <= high)) {
    throw new RangeError(`${op}: tensorScale is neither 'amax' nor in 2^-121..2^119 [${String(tensorScale)}]`)
  }
  return Math.fround(tensorScale)
}
