import { checkArray, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import {
  type BlockQuantized,
  blockElement,
  blockValues,
  dequantizeBlocks,
} from '../../numbers/formats/index.js'
import { type DType, dtypeFacts, Tensor } from '../tensor/index.js'
import type { BlockTensor } from './blockTensor.js'
import { unpack } from './pack.js'
import { valuesAlong } from './quantize.js'

/**
 * What a quantisation did to numbers that were looked at in parts: all but which block is the worst. Shares and errors are over
 * the finite originals.
 */
export interface JoinedReport {
  /** How many originals are finite. */
  readonly count: number
  /** Root mean square of the originals. */
  readonly rms: number
  /** 10 log10 of the sum of squared originals over that of squared errors, in dB; Infinity where nothing changed. */
  readonly sqnr: number
  /** Share of the originals that lie beyond the largest value there is for them. */
  readonly clipped: number
  /** Share that is not zero and became zero. */
  readonly underflowed: number
  /** Share that became infinite or NaN: the error is infinite, and sqnr is -Infinity. */
  readonly overflowed: number
  /** Of |quantised - original|. */
  readonly maxError: number
  readonly meanAbsoluteError: number
  readonly rmsError: number
  /** Of quantised - original: the bias. */
  readonly meanError: number
}

/** What a quantisation did to numbers. */
export interface QuantizationReport extends JoinedReport {
  /** The block of least sqnr, the first of several; null where there are no blocks. */
  readonly worstBlock: { readonly index: number; readonly sqnr: number } | null
}

/** What a plain array does not say about itself. */
export interface ReportOptions {
  /** The largest value there is; default: of a tensor its dtype's, of an array none. */
  readonly max?: number
  /** How many elements are looked at together for `worstBlock`; default 32. Blocks have their own. */
  readonly blockSize?: number
}

const reportNames: OptionTable<ReportOptions> = { max: 'optional', blockSize: 'optional' }

/**
 * How far quantised numbers are from the original ones: plain formats (a cast tensor, a decoded array) and block schemes
 * alike.
 *
 * Shape     both alike.
 * Throws    RangeError for shapes that differ.
 * Rounding  in float64; the sums are sequential.
 * Special   originals that are not finite are left out.
 * Cost      one pass; allocates copies as numbers of what is not a Float32Array.
 *
 * @example quantizationReport(Float32Array.of(1, 7), quantizeArray(Float32Array.of(1, 7), { element: 'float4_e2m1fn', blockSize: 2 })).clipped // 0.5
 * @example quantizationReport(tensor([3, 4]), tensor([3, 4.5])).meanError // 0.25
 */
export function quantizationReport(
  original: Numbers | Tensor,
  quantized: Numbers | Tensor | BlockQuantized | BlockTensor,
  options: ReportOptions = {},
): QuantizationReport {
  checkOptions('quantizationReport', options, reportNames, { positional: 'max' })
  const { values, limitOf, blockSize } = read(quantized, options)
  const exact = originalsOf(original, quantized)
  checkArray('quantizationReport', 'original', exact)
  checkArray('quantizationReport', 'quantized', values)
  if (exact.length !== values.length) {
    throw new RangeError(`quantizationReport: lengths differ [${exact.length} and ${values.length}]`)
  }
  let [signal, noise] = [0, 0]
  let [count, clipped, underflowed, overflowed] = [0, 0, 0, 0]
  let [maxError, absolute, bias] = [0, 0, 0]
  let worstBlock: { index: number; sqnr: number } | null = null
  for (let index = 0; index * blockSize < exact.length; index++) {
    const limit = limitOf(index)
    let [blockSignal, blockNoise] = [0, 0]
    const end = Math.min(exact.length, (index + 1) * blockSize)
    for (let i = index * blockSize; i < end; i++) {
      const x = exact[i]!
      const y = values[i]!
      if (!Number.isFinite(x)) continue
      count++
      if (Math.abs(x) > limit) clipped++
      if (y === 0 && x !== 0) underflowed++
      const finite = Number.isFinite(y)
      if (!finite) overflowed++
      const error = finite ? Math.abs(y - x) : Infinity
      blockSignal += x * x
      blockNoise += error * error
      absolute += error
      bias += y - x
      if (error > maxError) maxError = error
    }
    signal += blockSignal
    noise += blockNoise
    const sqnr = decibels(blockSignal, blockNoise)
    if (worstBlock === null || sqnr < worstBlock.sqnr) worstBlock = { index, sqnr }
  }
  return {
    count,
    rms: Math.sqrt(signal / count),
    sqnr: decibels(signal, noise),
    clipped: clipped / count,
    underflowed: underflowed / count,
    overflowed: overflowed / count,
    maxError,
    meanAbsoluteError: absolute / count,
    rmsError: Math.sqrt(noise / count),
    meanError: bias / count,
    worstBlock,
  }
}

/** Plain numbers, as an array. */
export type Numbers = Float32Array | Float64Array

/** The ratio of two sums of squares in dB; Infinity where there is no noise. */
export function decibels(signal: number, noise: number): number {
  return noise === 0 ? Infinity : 10 * Math.log10(signal / noise)
}

interface Reading {
  readonly values: Numbers
  /** The largest value there is for the elements of a block. */
  readonly limitOf: (block: number) => number
  readonly blockSize: number
}

function read(
  quantized: Numbers | Tensor | BlockQuantized | BlockTensor,
  { max, blockSize = 32 }: ReportOptions,
): Reading {
  if (!Number.isInteger(blockSize) || blockSize < 1) {
    throw new RangeError(`quantizationReport: blockSize is no whole number from 1 up [${String(blockSize)}]`)
  }
  if (quantized instanceof Float32Array || quantized instanceof Float64Array) {
    return { values: quantized, limitOf: () => max ?? Infinity, blockSize }
  }
  if (quantized instanceof Tensor) {
    const limit = max ?? largest(quantized.dtype)
    return { values: quantized.toNumbers(), limitOf: () => limit, blockSize }
  }
  checkRecord('quantizationReport', 'quantized', quantized)
  const blocks = 'packed' in quantized ? unpack(quantized) : quantized
  const { multipliers } = blockValues(blocks, 'quantizationReport')
  const elementMax = blockElement(blocks.element).max
  return {
    values: dequantizeBlocks(blocks),
    limitOf: (block) => elementMax * multipliers[blocks.scales[block]!]!,
    blockSize: blocks.blockSize,
  }
}

function largest(dtype: DType): number {
  const { isFloat, bits, max } = dtypeFacts(dtype)
  return isFloat && bits <= 16 ? max : Infinity
}

/** The originals in the order of the quantised values. */
function originalsOf(
  original: Numbers | Tensor,
  quantized: Numbers | Tensor | BlockQuantized | BlockTensor,
): Numbers {
  if (!(original instanceof Tensor)) return original
  const shape = 'shape' in quantized ? quantized.shape : undefined
  if (shape && shape.join() !== original.shape.join()) {
    throw new RangeError(
      `quantizationReport: shapes differ [${original.shape.join(', ')}] and [${shape.join(', ')}]`,
    )
  }
  return 'axis' in quantized ? valuesAlong(original, quantized.axis) : original.toNumbers()
}
