import type { QuantizationReport } from 'tpu-toolkit/blocks'

/** Numbers after a trip through a scheme. */
export interface Quantised {
  /** What the codes stand for, in the order of the values. */
  readonly restored: () => Float32Array
  /** How far that is from the values. */
  readonly report: () => QuantizationReport
}

/** One way of holding numbers in few bits. */
export interface Way {
  /** What `--only` calls it: a format, or a block scheme. */
  readonly scheme: string
  /** How the scheme is applied. */
  readonly way: string
  readonly family: Family
  /** Bits of an element, of a block's scale, and of a tensor's. */
  readonly elementBits: number
  readonly blockBits: number
  readonly tensorBits: number
  /** Neighbours along the last axis that share a scale; null: none do, or all of the tensor. */
  readonly blockSize: number | null
  /** What works on the values of a tensor whose largest magnitude is `amax`, piece after piece, each of whole blocks. */
  readonly quantiser: (amax: number) => (values: Float32Array) => Quantised
}

/** Where the scales are: nowhere, one a tensor, or one a block. */
export type Family = 'cast' | 'scaled cast' | 'MX' | 'NVFP4'

/** Bits an element takes with its part of the scales, in a tensor of these rows. */
export function bitsPerElement(way: Way, rows: number, rowLength: number): number {
  const blocks = way.blockSize === null ? 0 : rows * Math.ceil(rowLength / way.blockSize)
  return way.elementBits + (way.blockBits * blocks + way.tensorBits) / (rows * rowLength)
}
