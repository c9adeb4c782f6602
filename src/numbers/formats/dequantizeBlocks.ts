import { checkArray, checkInteger, checkRecord } from '../../base/options/index.js'
import { elementValues } from './blockElements.js'
import { type BlockQuantized, blockElement, checkedTensorScale, checkScheme } from './blockFormats.js'
import { multipliersOf } from './blockScale.js'

/**
 * The numbers that blocks stand for: element times scale.
 *
 * Shape     as long as `codes`; `out` too.
 * Rounding  'mx': the exact product to float32, nearest even. 'nvfp4': float32(element * float32(t * scale)). The
 *           only products that are not exact are below the float32 normals, or have t not a power of two.
 * Special   a scale of NaN makes its block NaN (0x7fc00000); beyond float32: Inf; zeros keep their signs.
 * Throws    RangeError for codes outside the element format, and lengths that differ.
 * Cost      about 1.3 ns per value, 1.8 where codes of 6 or 4 bits are checked; allocates the result only, not even that with `out`.
 * Source    OCP Microscaling Formats (MX) v1.0, 6.2
 *
 * @example dequantizeBlocks(quantizeBlocks(Float32Array.of(1, 7), { element: 'float4_e2m1fn', blockSize: 2 })) // [1, 6]
 */
export function dequantizeBlocks(blocks: BlockQuantized, out: Float32Array = emptyFor(blocks)): Float32Array {
  const { elements, multipliers } = blockValues(blocks, 'dequantizeBlocks')
  const { scales, codes, blockSize } = blocks
  if (!(out instanceof Float32Array)) {
    throw new TypeError(`dequantizeBlocks: out is no Float32Array [${typeof out}]`)
  }
  if (out.length !== codes.length) {
    throw new RangeError(`dequantizeBlocks: lengths differ [codes ${codes.length}, out ${out.length}]`)
  }
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length)
  for (let block = 0; block < scales.length; block++) {
    const multiplier = multipliers[scales[block]!]!
    const from = block * blockSize
    const to = from + blockSize
    // Written as bits: a NaN that passes through a number may come out with another sign or payload.
    if (Number.isNaN(multiplier)) bits.fill(0x7fc00000, from, to)
    else for (let i = from; i < to; i++) out[i] = elements[codes[i]!]! * multiplier
  }
  return out
}

function emptyFor(blocks: BlockQuantized): Float32Array {
  checkRecord('dequantizeBlocks', 'blocks', blocks)
  checkArray('dequantizeBlocks', 'codes', blocks.codes)
  return new Float32Array(blocks.codes.length)
}

/** The value of each element code, and the multiplier of each scale code. Read only: they are shared. */
export interface BlockValues {
  readonly elements: Float32Array
  /** Float32; NaN where the scale is. */
  readonly multipliers: Float32Array
}

/**
 * What the codes of blocks stand for, for custom loops: value i is elements[codes[i]] times
 * multipliers[scales[floor(i / blockSize)]].
 *
 * Throws    RangeError for codes outside the element format, and lengths that differ, in the name of `op`.
 *
 * @example blockValues(quantizeBlocks(new Float32Array(32), { element: 'int8' })).elements[0xff] // -0.015625
 */
export function blockValues(blocks: BlockQuantized, op = 'blockValues'): BlockValues {
  checkRecord(op, 'blocks', blocks, ['scheme', 'element', 'scales', 'codes'])
  const { scheme, element, blockSize, tensorScale, scales, codes } = blocks
  checkArray(op, 'scales', scales)
  checkArray(op, 'codes', codes)
  checkInteger(op, 'blockSize', blockSize, 1)
  const { bits } = blockElement(element, op)
  checkScheme(op, scheme, element)
  if (codes.length !== scales.length * blockSize) {
    const found = `${codes.length} codes, ${scales.length} scales of ${blockSize}`
    throw new RangeError(`${op}: every scale needs its block of codes [${found}]`)
  }
  checkCodes(op, codes, bits, element)
  return {
    elements: elementValues(element),
    multipliers: multipliersOf(scheme, checkedTensorScale(op, tensorScale)),
  }
}

/** Throws a RangeError unless every code has at most this many bits. */
export function checkCodes(op: string, codes: Uint8Array, bits: number, name: string): void {
  if (bits === 8) return
  // Four codes at a time, where they begin at a word of their buffer.
  const whole = codes.byteOffset % 4 === 0 ? codes.length >>> 2 : 0
  const words = new Int32Array(codes.buffer, whole === 0 ? 0 : codes.byteOffset, whole)
  let seen = 0
  for (let i = 0; i < whole; i++) seen |= words[i]!
  seen |= (seen >>> 16) | (seen >>> 8) | (seen >>> 24)
  seen &= 0xff
  for (let i = 4 * whole; i < codes.length; i++) seen |= codes[i]!
  if (seen >>> bits === 0) return
  const wrong = codes.find((code) => code >>> bits !== 0)
  throw new RangeError(`${op}: code outside 0..${2 ** bits - 1} of ${name} [${wrong}]`)
}
