import { type Arena, at } from './arena.js'
import { type AttentionKernels, attentionKernels } from './attention.wasm.js'

/** The most that one tile of an attention has. */
export interface TileSizes {
  /** Queries. */
  readonly rows: number
  /** Keys. */
  readonly width: number
  /** Numbers of a query and of a key. */
  readonly d: number
  /** Numbers of a value. */
  readonly dv: number
}

/** Which pairs of one tile are allowed. Pairs of numbers: of what four may attend to the first, and the one behind the last. */
export interface TileMask {
  /** 1 where a pair is allowed, [keys][lanesOf(queries)]. */
  readonly bits: Uint8Array
  /** For each four queries, of the keys. */
  readonly byQuery: Int32Array
  /** For each four keys, of the queries. */
  readonly byKey: Int32Array
}

/** The queries of a tile with what lies behind them: rows begin in other lines of the cache then, so that those of a column do not crowd. */
export function lanesOf(queries: number): number {
  const lines = Math.ceil(queries / 16)
  return 16 * (lines + 1 - (lines % 2))
}

export const up4 = (n: number): number => (n + 3) & ~3
export const up8 = (n: number): number => (n + 7) & ~7

/** The least magnitude among numbers that are not 0, and the largest, infinite where a number is infinite or NaN. */
export interface Extent {
  readonly least: number
  readonly most: number
}

/** An operand as products take it. */
export interface Packed {
  readonly at: number
  extent: Extent
}

/** Whether all products of two operands are exact in float32, so that rounding them changes nothing. */
export type Fits = (a: Extent, b: Extent) => boolean

/**
 * Room for tiles in the arena, as much of it as one attention asks for while it runs, and what its forward and backward pass have in
 * common.
 */
export class TileRoom {
  readonly kernels: AttentionKernels
  readonly floats: Float32Array
  readonly bytes: Uint8Array
  readonly numbers: Int32Array
  readonly mask: number
  readonly byQuery: number
  readonly byKey: number
  /** Bytes from one key to the next. */
  readonly apart: number
  readonly #extent: number
  readonly #staging: number
  #next: number = at.packedLeft

  constructor(arena: Arena, { rows, width, d, dv }: TileSizes) {
    const { buffer } = arena
    this.kernels = attentionKernels(arena)
    this.floats = new Float32Array(buffer)
    this.bytes = new Uint8Array(buffer)
    this.numbers = new Int32Array(buffer)
    this.apart = lanesOf(rows) * 4
    this.mask = this.take(width * lanesOf(rows))
    this.byQuery = this.take(up8(rows) * 2)
    this.byKey = this.take(up8(width) * 2)
    this.#extent = this.take(8)
    this.#staging = this.take(Math.max(rows, width) * Math.max(d, dv) * 4)
  }

  /** The next bytes that nothing else has, and some behind them. */
  take(bytes: number): number {
    const start = this.#next
    this.#next += (bytes + 127) & ~63
    return start
  }

  /** Whether all that was taken is there. */
  get fits(): boolean {
    return this.#next <= at.table
  }

  /** Room for [rows, depth] in bands, or [depth, rows] in panels. */
  operand(rows: number, depth: number): Packed {
    return { at: this.take(up8(rows) * depth * 4), extent: { least: Infinity, most: 0 } }
  }

  /** Rows of a matrix [rows, depth] in bands of four. */
  bands(values: Float32Array, rows: number, depth: number, to: Packed): void {
    this.#stage(values)
    this.kernels.packBands(this.#staging, depth, 1, to.at, rows, depth)
    this.measure(to, up4(rows) * depth)
  }

  /** The rows of a matrix [rows, depth] as columns, in panels of eight. */
  turned(values: Float32Array, rows: number, depth: number, to: Packed): void {
    this.#stage(values)
    this.kernels.packPanels(this.#staging, 1, depth, to.at, rows, depth)
    this.measure(to, up8(rows) * depth)
  }

  /** Columns of a matrix [depth, columns] in panels of eight. */
  panels(values: Float32Array, depth: number, columns: number, to: Packed): void {
    this.#stage(values)
    this.kernels.packPanels(this.#staging, columns, 1, to.at, columns, depth)
    this.measure(to, depth * up8(columns))
  }

  measure(packed: Packed, count: number): void {
    this.kernels.measure(packed.at, count, this.#extent)
    const [least, most] = this.floats.subarray(this.#extent / 4, this.#extent / 4 + 2)
    packed.extent = { least: least!, most: most! }
  }

  /** Spans of a tile: those of a mask, or all. */
  spans(rows: number, width: number, mask: TileMask | undefined): void {
    const { numbers, byQuery, byKey } = this
    const queries = byQuery / 4
    const keys = byKey / 4
    for (let i = 0; i < up8(rows) / 2; i += 2) {
      const there = 2 * i < rows
      numbers[queries + i] = there ? (mask ? mask.byQuery[i]! : 0) : 0x7fffffff
      numbers[queries + i + 1] = there ? (mask ? mask.byQuery[i + 1]! : width) : 0
    }
    for (let j = 0; j < up4(width) / 2; j += 2) {
      numbers[keys + j] = mask ? mask.byKey[j]! : 0
      numbers[keys + j + 1] = mask ? mask.byKey[j + 1]! : rows
    }
  }

  /** Where the bits of a mask lie; 0 where there is none. */
  bits(mask: TileMask | undefined): number {
    if (!mask) return 0
    this.bytes.set(mask.bits, this.mask)
    return this.mask
  }

  #stage(values: Float32Array): void {
    this.floats.set(values, this.#staging / 4)
  }
}

export const isFinite = ({ extent: { most } }: Packed): boolean => most < Infinity

/** Whether products of two operands, `depth` of them added, stay finite. */
export function isBounded({ extent: a }: Packed, { extent: b }: Packed, depth: number): boolean {
  return a.most * b.most * depth < 2 ** 127
}
