import {
  type BlockElement,
  type BlockRule,
  type BlockScheme,
  blockElement,
  type ElementFacts,
  type ScaleMode,
  tensorScaleRange,
} from './blockFormats.js'
import { format } from './catalogue.js'
import { decodeTable } from './decode.js'
import { keyTable } from './encodeKeys.js'
import { roundingRule } from './rounding.js'

/** The scales of one scheme: which one a block gets, and what a scale's code does to the block's values. */
export interface BlockScales {
  /** Code of the block whose largest magnitude has these float32 bits; those of Inf and NaN exceed all others. */
  codeOf(amaxBits: number): number
  /** The code that makes its block NaN. */
  readonly nanCode: number
  /** By code: what values are multiplied by, in float32, before they are rounded to elements. */
  readonly factors: Float32Array
}

/** The scales of a scheme with a given tensor scale. */
export function blockScales(rule: BlockRule, tensorScale: number): BlockScales {
  return rule.scheme === 'nvfp4' ? nvfp4Scales(tensorScale) : mxScales(rule)
}

/** What elements are multiplied by, for every scale code of a scheme; NaN where the code is NaN's. */
export function multipliersOf(scheme: BlockScheme, tensorScale: number): Float32Array {
  if (scheme === 'mx') return decodeTable('float8_e8m0fnu')
  return decodeTable('float8_e4m3fn').map((scale) => tensorScale * scale)
}

// Float32 bits of infinity: all larger ones are NaN.
const infinityBits = 0x7f800000
const nanScale = 255
const bias = 127

function mxScales({ element, scale }: BlockRule): BlockScales {
  return {
    codeOf: mxCodeOf(element, scale),
    nanCode: nanScale,
    // Both ends, 2^-127 and 2^127, are float32, and so are their reciprocals.
    factors: decodeTable('float8_e8m0fnu').map((scale) => 1 / scale),
  }
}

function mxCode(element: ElementFacts, mode: ScaleMode): (amaxBits: number) => number {
  const exponent = exponentRule(element, mode)
  return (amaxBits) => {
    if (amaxBits >= infinityBits) return nanScale
    const code = exponent(amaxBits) - element.emax + bias
    return code === Infinity ? nanScale : Math.max(0, Math.min(code, nanScale - 1))
  }
}

/** The exponent that stands for a finite largest magnitude, before the element's own emax is taken off. */
function exponentRule(
  { name, emax, mantissaBits, max }: ElementFacts,
  mode: ScaleMode,
): (bits: number) => number {
  switch (mode) {
    case 'floor':
      return floorExponent
    case 'ceil':
      return ceilExponent
    case 'even': {
      const half = 2 ** (22 - mantissaBits)
      return (bits) => {
        const rounded = (bits + half) & infinityBits
        // Rounded past float32, torchao makes the block NaN; it has no int8, where the largest scale serves.
        return rounded === infinityBits && name !== 'int8' ? Infinity : floorExponent(rounded)
      }
    }
    case 'rceil': {
      const reciprocal = Math.fround(1 / max)
      const value = new Float32Array(1)
      const valueBits = new Uint32Array(value.buffer)
      return (bits) => {
        valueBits[0] = bits
        value[0] = value[0]! * reciprocal
        return ceilExponent(valueBits[0]!) + emax
      }
    }
    default:
      return mode satisfies never
  }
}

/** floor(log2) of a float32 from its bits; of zero, -150. */
function floorExponent(bits: number): number {
  return bits >= 0x800000 ? (bits >>> 23) - 127 : -118 - Math.clz32(bits)
}

/** ceil(log2) of a float32 from its bits; of zero, -150. */
function ceilExponent(bits: number): number {
  const power = bits >= 0x800000 ? (bits & 0x7fffff) === 0 : (bits & (bits - 1)) === 0
  return floorExponent(bits) + (power ? 0 : 1)
}

/** NVFP4's second level: the float32 that brings the largest magnitude to the largest scale times the largest element. */
export function tensorScaleOf(amaxBits: number): number {
  const value = new Float32Array(Uint32Array.of(amaxBits).buffer)
  value[0] = value[0]! / (largestScale * largestElement)
  return Math.max(value[0], tensorScaleRange[0])
}

const saturating = roundingRule({ saturate: true })

// NVFP4: a scale is never below 2^-6, so that an all-zero block divides by no zero.
const leastScale = 2 ** -6
const largestScale = 448
const largestElement = 6
const nvfp4NaN = 127

function nvfp4Scales(tensorScale: number): BlockScales {
  const codes = keyTable(format('float8_e4m3fn'), saturating)
  const value = new Float32Array(1)
  const bits = new Uint32Array(value.buffer)
  const reciprocal = Math.fround(1 / tensorScale)
  return {
    codeOf(amaxBits) {
      // Not by arithmetic: a NaN that comes out of it may have either sign.
      if (amaxBits > infinityBits) return nvfp4NaN
      bits[0] = amaxBits
      // Each division is rounded to float32 by being stored.
      value[0] = value[0]! / largestElement
      value[0] = Math.max(value[0]! / tensorScale, leastScale)
      return codes[(bits[0]! | ((bits[0]! & 0xffff) + 0xffff)) >>> 16]!
    },
    nanCode: nvfp4NaN,
    factors: decodeTable('float8_e4m3fn').map((scale) => reciprocal / scale),
  }
}

/**
 * The same function by table, for one that takes at most two values within a float32 exponent: it is asked once a
 * block, where arithmetic would take as long as several elements.
 */
function bySteps(codeOf: (amaxBits: number) => number): (amaxBits: number) => number {
  const first = Uint8Array.from({ length: 256 }, (_, exponent) => codeOf(exponent << 23))
  const last = Uint8Array.from({ length: 256 }, (_, exponent) => codeOf((exponent << 23) | 0x7fffff))
  // The largest mantissa that still has the first code.
  const step = Uint32Array.from({ length: 256 }, (_, exponent) => {
    let [low, high] = [0, 0x7fffff]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (codeOf((exponent << 23) | middle) === first[exponent]) low = middle
      else high = middle - 1
    }
    return low
  })
  return (bits) => {
    const exponent = bits >>> 23
    return (bits & 0x7fffff) > step[exponent]! ? last[exponent]! : first[exponent]!
  }
}

const stepped = new Map<string, (amaxBits: number) => number>()

function mxCodeOf(element: BlockElement, mode: ScaleMode): (amaxBits: number) => number {
  const name = `${element} ${mode}`
  let codeOf = stepped.get(name)
  if (codeOf === undefined) {
    codeOf = bySteps(mxCode(blockElement(element, 'quantizeBlocks'), mode))
    stepped.set(name, codeOf)
  }
  return codeOf
}
