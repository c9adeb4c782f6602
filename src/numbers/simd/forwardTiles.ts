import type { Arena } from './arena.js'
import {
  type Fits,
  isFinite,
  type Packed,
  type TileMask,
  TileRoom,
  type TileSizes,
  up4,
  up8,
} from './tileRoom.js'

/** The kinds of logits and weights that the kernels know: wasm/assembly/attention.ts. */
const kinds = { flash2: 0, splash: 1, pallas: 2 } as const

/** Where a tiled attention rounds, as far as its tiles have a kernel. */
export interface TileRule {
  readonly kind: keyof typeof kinds
  /** A float32 number. */
  readonly scale: number
  /** What the logit of a pair is that is not allowed; in 'pallas' what is added to it. */
  readonly masked: number
  /** Probabilities are divided by their sum in their only tile. */
  readonly single: boolean
  /** Probabilities are rounded to bfloat16 for their product with values. */
  readonly narrow: boolean
  /** Whether products of queries and keys are rounded to float32, and those of probabilities and values. */
  readonly fits: Fits
  readonly probabilitiesFit: Fits
}

/**
 * Tiled attention of one block of queries after the other, in the arena: the same bits as FlashForm's functions between products of
 * matrices, of src/models/kernels/attention/form.ts.
 */
export class ForwardTiles {
  readonly #room: TileRoom
  readonly #rule: TileRule
  readonly #sizes: TileSizes
  readonly #queries: Packed
  readonly #keys: Packed
  readonly #values: Packed
  readonly #weights: Packed
  readonly #tile: number
  readonly #product: number
  readonly #total: number
  /** Running maximum, running sum, factor and share of every query. */
  readonly #state: number
  readonly #most: number
  readonly #out: number
  /** Bytes from one query to the next among products with values. */
  readonly #apart: number
  #rows = 0

  /** Undefined where the arena is too small for such tiles. */
  static open(arena: Arena, sizes: TileSizes, rule: TileRule): ForwardTiles | undefined {
    const tiles = new ForwardTiles(arena, sizes, rule)
    return tiles.#room.fits ? tiles : undefined
  }

  private constructor(arena: Arena, sizes: TileSizes, rule: TileRule) {
    const room = new TileRoom(arena, sizes)
    const { rows, width, d, dv } = sizes
    this.#room = room
    this.#rule = rule
    this.#sizes = sizes
    this.#apart = up8(dv) * 4
    this.#queries = room.operand(rows, d)
    this.#keys = room.operand(width, d)
    this.#values = room.operand(dv, width)
    this.#weights = room.operand(rows, width)
    this.#tile = room.take(up4(width) * room.apart)
    this.#product = room.take(up4(rows) * this.#apart)
    this.#total = room.take(up4(rows) * this.#apart)
    this.#state = room.take(4 * room.apart)
    this.#most = room.take(room.apart)
    this.#out = room.take(rows * (dv + 3) * 4)
  }

  /** Begins a block of queries, [rows, d]. */
  start(queries: Float32Array, rows: number, firstMax: number): void {
    const { floats, apart } = this.#room
    this.#rows = rows
    this.#room.turned(queries, rows, this.#sizes.d, this.#queries)
    const state = this.#state / 4
    floats.fill(firstMax, state, state + apart / 4)
    floats.fill(0, state + apart / 4, state + apart)
    floats.fill(0, this.#total / 4, (this.#total + up4(rows) * this.#apart) / 4)
  }

  /** Adds a block of keys and values, [width, d] and [width, dv]. */
  add(keys: Float32Array, values: Float32Array, width: number, mask: TileMask | undefined): void {
    const room = this.#room
    const { kernels, apart, byQuery, byKey } = room
    const { d, dv } = this.#sizes
    const { kind, scale, masked, single, narrow, fits, probabilitiesFit } = this.#rule
    const rows = this.#rows
    const [tile, code, once] = [this.#tile, kinds[kind], single ? 1 : 0]
    const factor = this.#state + 2 * apart
    room.bands(keys, width, d, this.#keys)
    room.panels(values, width, dv, this.#values)
    const bits = room.bits(mask)
    // A pair that is not allowed may still be the largest of its query, but in flash2.
    room.spans(rows, width, kind === 'flash2' ? mask : undefined)
    const bands = up4(rows) / 4
    const exact = fits(this.#queries.extent, this.#keys.extent) ? 1 : 0
    const [keyBands, queryPanels] = [up4(width) / 4, up8(rows) / 8]
    kernels.multiplyWithin(
      ...([this.#keys.at, this.#queries.at, tile, apart] as const),
      ...([keyBands, queryPanels, d, byQuery, exact] as const),
    )
    kernels.logitsOfTile(tile, width, apart, code, scale, bits, masked, this.#most, byKey)
    kernels.weighTile(tile, width, apart, code, once, this.#most, this.#state, byKey)
    kernels.packTile(tile, width, apart, this.#weights.at, rows, narrow ? 1 : 0)
    room.measure(this.#weights, 4 * bands * width)
    // A probability of 0 is nothing but where the value is none.
    if (!isFinite(this.#values)) room.spans(rows, width, undefined)
    const plain = probabilitiesFit(this.#weights.extent, this.#values.extent) ? 1 : 0
    kernels.multiplyAlong(
      ...([this.#weights.at, this.#values.at, this.#product, this.#apart] as const),
      ...([bands, up8(dv) / 8, width, byQuery, plain] as const),
    )
    kernels.addTile(this.#total, this.#product, this.#apart, rows, code, once, factor, factor + apart)
  }

  /**
   * The block's result, rows of dv + 3: the output, and what `last` makes of the maximum m and the sum l of each query, which says what its
   * output is multiplied by.
   */
  finish(last: (m: number, l: number) => { readonly by: number; readonly logsumexp: number }): Float32Array {
    const { floats, kernels, apart } = this.#room
    const { dv } = this.#sizes
    const rows = this.#rows
    const [m, l, by] = [this.#state, this.#state + apart, this.#most].map((place) => place / 4) as [
      number,
      number,
      number,
    ]
    const out = this.#out / 4
    for (let i = 0; i < rows; i++) {
      const end = last(floats[m + i]!, floats[l + i]!)
      floats[by + i] = end.by
      const at = out + i * (dv + 3) + dv
      floats[at] = end.logsumexp
      floats[at + 1] = floats[m + i]!
      floats[at + 2] = floats[l + i]!
    }
    kernels.finishTile(this.#total, this.#apart, this.#most, this.#out, dv + 3, dv, rows)
    return floats.subarray(out, out + rows * (dv + 3))
  }
}
