import {
  type BlockOptions,
  type BlockQuantized,
  type BlockRule,
  blockElement,
  blockRule,
} from './blockFormats.js'
import { type BlockFactors, type BlockKernel, plainBlocks } from './blockKernel.js'
import { blockScales, tensorScaleOf } from './blockScale.js'

/** Where to write the codes of blocks: one of `scales` a block, one of `codes` a value. */
export interface BlockCodes {
  readonly scales: Uint8Array
  readonly codes: Uint8Array
}

/**
 * Numbers as blocks that share a scale: OCP MX v1.0 ('mx') or NVFP4 ('nvfp4').
 *
 * Shape     a whole number of blocks; `out` holds a scale a block and a code a value.
 * Rounding  'mx': the scale is 2^e, e in [-127, 127], from the block's largest magnitude amax and the element
 *           format's largest value max, emax = floor(log2 max): 'floor' floor(log2 amax) - emax; 'ceil'
 *           ceil(log2 amax) - emax; 'even' as 'floor', amax first rounded half up to the element's mantissa bits;
 *           'rceil' 2^e the smallest power of two >= float32(amax * float32(1 / max)).
 *           Elements: value / 2^e exactly, then once to nearest even, beyond max to max.
 *           'nvfp4': t = 1, `tensorScale`, or for 'amax' float32(amax of all / 2688), at least 2^-121; scale s =
 *           float32(float32(amax / 6) / t), at least 2^-6 and at most 448, to float8_e4m3fn, nearest even; elements
 *           float32(value * float32(float32(1 / t) / s)), then once to nearest even, beyond 6 to 6.
 *           With `blockRows` the largest magnitude is that of the blocks of so many rows together. With 'stochastic' elements are
 *           rounded once at random: to the neighbour away from zero with the probability of their place between the two, cut to
 *           `randomBits` bits; the mean is the value where nothing saturates and 32 bits hold the place.
 * Special   'mx': a block of zeros has scale code 0 and signed zeros; with an Inf or NaN, or in 'even' an amax that
 *           rounds past float32 (int8 apart), it is NaN: scale code 255. 'nvfp4': zeros have scale 2^-6; Inf has
 *           scale 448 and elements +-6; NaN makes scale code 127, the block NaN; neither counts in the amax of all.
 *           int8: value code / 64, -128 unused.
 * Error     where nothing saturates, half an ulp of the element format times the scale, a whole one with 'stochastic'.
 * Throws    RangeError for a length that blocks do not divide; TypeError for values that are not a Float32Array.
 * Cost      about 2 ns per value; allocates the result only, not even that with `out`. `tpu-toolkit/blocks` has the
 *           fast twin.
 * Source    OCP Microscaling Formats (MX) v1.0, 5 and 6.3; the modes other than 'floor', and NVFP4, as torchao
 *           (commit 36027d82) has them.
 *
 * @example quantizeBlocks(new Float32Array(32).fill(3), { element: 'float4_e2m1fn' }).scales // [126]
 * @example quantizeBlocks(Float32Array.of(1, 7), { element: 'float4_e2m1fn', blockSize: 2 }).codes // [2, 7]
 * @example quantizeBlocks(new Float32Array(33), { element: 'int8' }) // throws quantizeBlocks: blocks of 32 do not divide the length [33]
 */
export function quantizeBlocks(
  values: Float32Array,
  options: BlockOptions,
  out?: BlockCodes,
  kernel: BlockKernel = plainBlocks,
): BlockQuantized {
  if (!(values instanceof Float32Array)) {
    throw new TypeError(`quantizeBlocks: values are no Float32Array [${typeof values}]`)
  }
  const rule = blockRule('quantizeBlocks', options)
  const { scheme, element, blockSize } = rule
  const { scales, codes } = destination(values.length, blockSize, out)
  if (rule.rowLength !== undefined && values.length % rule.rowLength !== 0) {
    throw new RangeError(
      `quantizeBlocks: rows of ${rule.rowLength} do not divide the length [${values.length}]`,
    )
  }
  const facts = blockElement(element, 'quantizeBlocks')
  const tensorScale =
    rule.tensorScale === 'amax' ? tensorScaleOf(largestFinite(values, rule, kernel)) : rule.tensorScale

  const { codeOf, nanCode, factors } = blockScales(rule, tensorScale)
  const shared = rule.blockRows > 1 ? largestOfRows(values, rule, kernel) : undefined
  let someNaN = false
  const factorsOf: BlockFactors = (first, amaxBits, blockFactors) => {
    for (let i = 0; i < amaxBits.length; i++) {
      const scale = codeOf(shared ? shared[first + i]! : amaxBits[i]!)
      if (scale === nanCode) someNaN = true
      scales[first + i] = scale
      blockFactors[i] = factors[scale]!
    }
  }
  kernel(values, blockSize, facts, factorsOf, codes, rule.words?.(values.length))
  for (let block = 0; someNaN && block < scales.length; block++) {
    if (scales[block] === nanCode) codes.fill(facts.filler, block * blockSize, (block + 1) * blockSize)
  }
  return { scheme, element, blockSize, tensorScale, scales, codes }
}

/** For each block the float32 bits of the largest magnitude of the blocks in its place in the rows that share a scale. */
function largestOfRows(values: Float32Array, rule: BlockRule, kernel: BlockKernel): Uint32Array {
  const { blockSize, blockRows, rowLength, element } = rule
  const largest = new Uint32Array(values.length / blockSize)
  const look: BlockFactors = (first, amaxBits) => largest.set(amaxBits, first)
  kernel(values, blockSize, blockElement(element, 'quantizeBlocks'), look, undefined)
  const across = rowLength! / blockSize
  for (let from = 0; from < largest.length; from += blockRows * across) {
    const to = Math.min(from + blockRows * across, largest.length)
    for (let i = from + across; i < to; i++) {
      const top = from + ((i - from) % across)
      largest[top] = Math.max(largest[top]!, largest[i]!)
    }
    for (let i = from + across; i < to; i += across) largest.copyWithin(i, from, from + across)
  }
  return largest
}

/** Float32 bits of the largest finite magnitude of all. */
function largestFinite(values: Float32Array, { blockSize, element }: BlockRule, kernel: BlockKernel): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  let largest = 0
  const look: BlockFactors = (first, amaxBits) => {
    for (let i = 0; i < amaxBits.length; i++) {
      let amax = amaxBits[i]!
      if (amax >= infinityBits) {
        const block = words.subarray((first + i) * blockSize, (first + i + 1) * blockSize)
        amax = block.reduce((most, word) => (isFinite(word) ? Math.max(most, word & 0x7fffffff) : most), 0)
      }
      if (amax > largest) largest = amax
    }
  }
  kernel(values, blockSize, blockElement(element, 'quantizeBlocks'), look, undefined)
  return largest
}

const infinityBits = 0x7f800000
const isFinite = (word: number): boolean => (word & infinityBits) !== infinityBits

/** The arrays to write to: `out` if its lengths are right, or fresh ones. */
function destination(length: number, blockSize: number, out: BlockCodes | undefined): BlockCodes {
  const blocks = length / blockSize
  if (!Number.isInteger(blocks)) {
    throw new RangeError(`quantizeBlocks: blocks of ${blockSize} do not divide the length [${length}]`)
  }
  if (!out) return { scales: new Uint8Array(blocks), codes: new Uint8Array(length) }
  const { scales, codes } = out
  if (!(scales instanceof Uint8Array && codes instanceof Uint8Array)) {
    const kinds = `${Object.prototype.toString.call(scales)}, ${Object.prototype.toString.call(codes)}`
    throw new TypeError(`quantizeBlocks: out's scales and codes are no Uint8Arrays [${kinds}]`)
  }
  if (scales.length !== blocks || codes.length !== length) {
    const found = `${scales.length} scales and ${codes.length} codes`
    throw new RangeError(
      `quantizeBlocks: out has other lengths than the result [${found}, not ${blocks} and ${length}]`,
    )
  }
  return out
}
