import type { Arena } from './arena.js'
import {
  type Fits,
  isBounded,
  isFinite,
  type Packed,
  type TileMask,
  TileRoom,
  type TileSizes,
  up4,
  up8,
} from './tileRoom.js'

/** Where the backward pass of a tiled attention rounds, as far as its tiles have a kernel. */
export interface SlopeRule {
  /** A float32 number. */
  readonly scale: number
  /** Probabilities and their slopes are rounded to bfloat16 for their products. */
  readonly narrow: boolean
  /** Whether products are rounded to float32. */
  readonly fits: Fits
}

/** One block of rows on its way back. */
export interface RowSlopes {
  /** [rows, d]. */
  readonly queries: Float32Array
  /** [rows, dv]. */
  readonly cotangents: Float32Array
  /** The logsumexp of every query. */
  readonly logsumexp: Float32Array
  /** What is taken from products of cotangents and values. */
  readonly less: Float32Array
}

/** One block of columns, and the totals that its gradients are added to. */
export interface ColumnSlopes {
  /** [width, d]. */
  readonly keys: Float32Array
  /** [width, dv]. */
  readonly values: Float32Array
  readonly dk: Float32Array
  readonly dv: Float32Array
}

/** The backward pass of tiled attention in the arena, the same bits as that of src/models/kernels/attention/flashGradOp.ts. */
export class BackwardTiles {
  readonly #room: TileRoom
  readonly #rule: SlopeRule
  readonly #sizes: TileSizes
  /** Queries and cotangents, their rows as columns and as they lie; keys and values. */
  readonly #queriesTurned: Packed
  readonly #queries: Packed
  readonly #cotangentsTurned: Packed
  readonly #cotangents: Packed
  readonly #keys: Packed
  readonly #keyPanels: Packed
  readonly #values: Packed
  readonly #left: Packed
  readonly #weights: number
  readonly #slopes: number
  readonly #part: number
  readonly #total: number
  readonly #dq: number
  readonly #logsumexp: number
  readonly #less: number
  #rows = 0
  /** Nothing of a pair that is not allowed comes through: no factor is infinite. */
  #isTame = false

  /** Undefined where the arena is too small for such tiles. */
  static open(arena: Arena, sizes: TileSizes, rule: SlopeRule): BackwardTiles | undefined {
    const tiles = new BackwardTiles(arena, sizes, rule)
    return tiles.#room.fits ? tiles : undefined
  }

  private constructor(arena: Arena, sizes: TileSizes, rule: SlopeRule) {
    const room = new TileRoom(arena, sizes)
    const { rows, width, d, dv } = sizes
    const most = Math.max(d, dv)
    this.#room = room
    this.#rule = rule
    this.#sizes = sizes
    this.#queriesTurned = room.operand(rows, d)
    this.#queries = room.operand(d, rows)
    this.#cotangentsTurned = room.operand(rows, dv)
    this.#cotangents = room.operand(dv, rows)
    this.#keys = room.operand(width, d)
    this.#keyPanels = room.operand(d, width)
    this.#values = room.operand(width, dv)
    this.#left = room.operand(Math.max(rows, width), Math.max(rows, width))
    this.#weights = room.take(up4(width) * room.apart)
    this.#slopes = room.take(up4(width) * room.apart)
    this.#part = room.take(up4(Math.max(rows, width)) * up8(most) * 4)
    this.#total = room.take(width * most * 4)
    this.#dq = room.take(rows * d * 4)
    this.#logsumexp = room.take(room.apart)
    this.#less = room.take(room.apart)
  }

  /** Begins a block of rows. */
  start({ queries, cotangents, logsumexp, less }: RowSlopes): void {
    const room = this.#room
    const { d, dv } = this.#sizes
    const { floats } = room
    const rows = less.length
    this.#rows = rows
    room.turned(queries, rows, d, this.#queriesTurned)
    room.panels(queries, rows, d, this.#queries)
    room.turned(cotangents, rows, dv, this.#cotangentsTurned)
    room.panels(cotangents, rows, dv, this.#cotangents)
    for (const [place, values] of [
      [this.#logsumexp, logsumexp],
      [this.#less, less],
    ] as const) {
      floats.fill(0, place / 4, (place + room.apart) / 4)
      floats.set(values, place / 4)
    }
    floats.fill(0, this.#dq / 4, this.#dq / 4 + rows * d)
    this.#isTame = less.every(Number.isFinite) && isFinite(this.#queries) && isFinite(this.#cotangents)
  }

  /** Adds what a block of columns gives. */
  add({ keys, values, dk, dv: dvs }: ColumnSlopes, width: number, mask: TileMask | undefined): void {
    const room = this.#room
    const { kernels, apart, byQuery, byKey } = room
    const { d, dv } = this.#sizes
    const { scale, narrow, fits } = this.#rule
    const rows = this.#rows
    const [p, ds, left] = [this.#weights, this.#slopes, this.#left]
    room.bands(keys, width, d, this.#keys)
    room.panels(keys, width, d, this.#keyPanels)
    room.bands(values, width, dv, this.#values)
    const isTame = this.#isTame && isFinite(this.#keys) && isBounded(this.#values, this.#cotangents, dv)
    room.spans(rows, width, isTame ? mask : undefined)
    const within = (a: Packed, b: Packed, depth: number, to: number): void =>
      kernels.multiplyWithin(
        ...([a.at, b.at, to, apart, up4(width) / 4, up8(rows) / 8, depth, byQuery] as const),
        fits(b.extent, a.extent) ? 1 : 0,
      )
    within(this.#keys, this.#queriesTurned, d, p)
    within(this.#values, this.#cotangentsTurned, dv, ds)
    const bits = room.bits(mask)
    kernels.slopesOfTile(
      ...([p, ds, width, apart, scale, bits, this.#logsumexp, this.#less, narrow ? 1 : 0, byKey] as const),
    )
    const along = (b: Packed, length: number, count: number, depth: number, spans: number): void => {
      const exact = fits(left.extent, b.extent) ? 1 : 0
      const step = up8(length) * 4
      const bands = up4(count) / 4
      kernels.multiplyAlong(left.at, b.at, this.#part, step, bands, up8(length) / 8, depth, spans, exact)
    }
    const toColumns = (tile: number, b: Packed, length: number, into: Float32Array): void => {
      kernels.packBands(tile, apart / 4, 1, left.at, width, rows)
      room.measure(left, up4(width) * rows)
      along(b, length, width, rows, byKey)
      room.floats.set(into, this.#total / 4)
      kernels.addPart(this.#total, this.#part, up8(length) * 4, length, width)
      into.set(room.floats.subarray(this.#total / 4, this.#total / 4 + width * length))
    }
    toColumns(p, this.#cotangents, dv, dvs)
    toColumns(ds, this.#queries, d, dk)
    kernels.packTile(ds, width, apart, left.at, rows, 0)
    room.measure(left, up4(rows) * width)
    along(this.#keyPanels, d, rows, width, byQuery)
    kernels.addPart(this.#dq, this.#part, up8(d) * 4, d, rows)
  }

  /** The gradient of the block's queries, [rows, d]. */
  finish(): Float32Array {
    return this.#room.floats.subarray(this.#dq / 4, this.#dq / 4 + this.#rows * this.#sizes.d)
  }
}
