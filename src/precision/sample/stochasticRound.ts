import type { DTypeFacts } from '../../tensors/tensor/index.js'
import { spacing } from '../program/spacing.js'

/** Which neighbour: the upper one with the probability of the distance from the lower, or with one half. */
export type RandomRounding = 'stochastic' | 'random'

/**
 * Rounds to one of a grid's two neighbours by a uint32 word; what is on the grid stays. Past the largest value as to nearest.
 *
 * Rounding  'stochastic': up with probability (x - lower) / (upper - lower), cut to 32 bits, so the mean is x; 'random': with
 *           one half, CESTAC's way, whose mean is not.
 */
export function stochasticRound(x: number, grid: DTypeFacts, word: number, mode: RandomRounding): number {
  if (!Number.isFinite(x) || x === 0) return x
  const step = spacing(x, grid)
  if (Math.abs(x) > grid.max) {
    return Math.abs(x) < grid.max + step / 2 ? Math.sign(x) * grid.max : Math.sign(x) * Infinity
  }
  const scaled = x / step
  const lower = Math.floor(scaled)
  const fraction = scaled - lower
  if (fraction === 0) return x
  const up = mode === 'random' ? word >>> 31 === 1 : word < fraction * 2 ** 32
  const result = (up ? lower + 1 : lower) * step
  return result === 0 && x < 0 ? -0 : result
}
