/** What one call of a kernel has to do, by which libraries choose how to divide it. */
export interface Load {
  /** Sequences of the batch. */
  readonly sequences: number
  /** Tokens of each that are computed in this step. */
  readonly tokens: number
  /** Tokens before them, whose keys and values are kept. */
  readonly cached: number
}

/** A stretch of keys: a partial attention of its own. */
export type Stretch = readonly [from: number, to: number]

/** How kernels divide their sums. */
export interface Schedule {
  /** Parts of a row that are summed apart in a norm. */
  normParts(load: Load): number
  /** Parts of k that are summed apart in a product with so many columns. */
  splits(load: Load, k: number, columns: number): number
  /** Stretches of keys whose attentions are joined afterwards. */
  stretches(load: Load, heads: number): readonly Stretch[]
  /** Keys of a block of the attention. */
  readonly blockK: number
}

/** The chip that kernels fill: its cores, and the rows, columns and keys of a tile. */
export interface Tiles {
  readonly cores: number
  readonly tile: number
  /** Parts of k; default: so many as there are cores for. */
  readonly splitK: number | undefined
}

/** Products are cut no shorter than an instruction is. */
const instruction = 16

/**
 * Kernels that divide a sum among idle cores, as libraries choose by the shape of a call: a product and a norm of few rows along their sum, attention of
 * few queries along its keys; keys that are kept are read apart from those of this step.
 */
export function byLoad({ cores, tile, splitK }: Tiles): Schedule {
  const idle = (work: number): number => 2 ** Math.floor(Math.log2(Math.max(1, cores / work)))
  return {
    normParts: ({ sequences, tokens }) => Math.min(4, idle((sequences * tokens) / 4)),
    splits: ({ sequences, tokens }, k, columns) => {
      const tiles = Math.ceil((sequences * tokens) / tile) * Math.ceil(columns / tile)
      return Math.min(k / instruction, splitK ?? idle(tiles))
    },
    stretches({ sequences, tokens, cached }, heads) {
      const work = sequences * heads * Math.ceil(tokens / tile)
      return [...parts(0, cached, idle(work), tile), ...parts(cached, cached + tokens, idle(work), tile)]
    },
    blockK: tile,
  }
}

/** Whole blocks from `from` to `to` in so many stretches, as even as they can be. */
function parts(from: number, to: number, count: number, block: number): Stretch[] {
  const length = Math.ceil(Math.ceil((to - from) / block) / count) * block
  const made: Stretch[] = []
  for (let start = from; start < to; start += length) made.push([start, Math.min(to, start + length)])
  return made
}

/** One order whatever the load: nothing is divided, and blocks of keys begin at key 0. */
export const fixedSchedule: Schedule = {
  normParts: () => 1,
  splits: () => 1,
  stretches: ({ cached, tokens }) => [[0, cached + tokens]],
  blockK: 16,
}
