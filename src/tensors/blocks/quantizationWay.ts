import { checkArray, checkRecord } from '../../base/options/index.js'
import type { Shape } from '../tensor/index.js'
import { rowsOf } from './piecewise.js'
import type { Numbers, QuantizationReport } from './quantizationReport.js'

/** One way of holding numbers in few bits. */
export interface QuantizationWay {
  /** A format, or a block scheme. */
  readonly scheme: string
  /** How the scheme is applied. */
  readonly way: string
  /** Where the scales are, and whose they are: nowhere, one a tensor, or one or more a block. */
  readonly family: 'cast' | 'scaled cast' | 'MX' | 'NVFP4' | 'GGUF' | 'bitsandbytes'
  /** Bits of an element, of a block's scale, and of a tensor's. */
  readonly elementBits: number
  readonly blockBits: number
  readonly tensorBits: number
  /** Bits of a row's scale. Default 0. */
  readonly rowBits?: number
  /** Neighbours along the last axis that share a scale; null: none do, or all of the tensor. */
  readonly blockSize: number | null
  /**
   * What works on the values of a tensor whose largest magnitude is `amax`, piece after piece, each of whole blocks. Errors
   * are taken from `originals`, by default the values: NaN there leaves out what was added to fill a block. Where rows have
   * a scale, `rowLength` says how long they are; default: the values are one row.
   */
  readonly quantizer: (
    amax: number,
  ) => (values: Numbers, originals?: Numbers, rowLength?: number) => QuantizedValues
}

/** Numbers after a trip through a scheme. */
export interface QuantizedValues {
  /** What the codes stand for, in the order of the values. */
  readonly restored: () => Float32Array
  /** How far that is from the originals. */
  readonly report: () => QuantizationReport
}

/** Bits an element takes with its part of the scales, in a tensor of this shape. */
export function bitsPerElement(way: QuantizationWay, shape: Shape): number {
  checkRecord('bitsPerElement', 'way', way, ['elementBits'])
  checkArray('bitsPerElement', 'shape', shape)
  const { rows, rowLength } = rowsOf(shape)
  const blocks = way.blockSize === null ? 0 : rows * Math.ceil(rowLength / way.blockSize)
  return (
    way.elementBits +
    (way.blockBits * blocks + way.tensorBits + (way.rowBits ?? 0) * rows) / (rows * rowLength)
  )
}
