import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type StoredDType } from '../hardware/index.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { checkSizes } from './sizes.js'

/** What a cache holds. */
export interface CacheOptions {
  /** Sequences, default 1. */
  readonly batch?: number
  /** Tokens of each, default 1. */
  readonly sequence?: number
  /** Default bfloat16. */
  readonly dtype?: StoredDType
}

const names: OptionTable<CacheOptions> = { batch: 'optional', sequence: 'optional', dtype: 'optional' }

/**
 * Bytes that a model keeps per sequence while it generates: keys and values, 2 K H L a token, of layers with a window those of the
 * window; the latent and one rotated key of latent attention; for Mamba the state and the last inputs of the convolution,
 * whatever the length.
 *
 * Shape     none. Dtype of the cache by option. Rounding none.
 * Throws    RangeError for an invalid model or size.
 *
 * @example cacheBytes({ family: 'decoder', D: 8192, F: 28672, L: 80, N: 64, K: 8, V: 128256 }, { sequence: 32768, dtype: 'int8' }) // 5368709120
 */
export function cacheBytes(config: ModelConfig, options: CacheOptions = {}): number {
  const { groups, scan, L, family } = checkedArchitecture('cacheBytes', config)
  checkOptions('cacheBytes', options, names)
  const { batch = 1, sequence = 1, dtype = 'bfloat16' } = options
  checkSizes('cacheBytes', { batch, sequence })
  const size = bitsOf(dtype) / 8
  const keys = groups.reduce((sum, { attention, copies }) => {
    if (!attention) return sum
    const { K, H, window = sequence, cached = 2 * K * H } = attention
    return sum + copies * cached * Math.min(sequence, window)
  }, 0)
  const convolved = scan ? (family === 'mamba2' ? scan.I + 2 * scan.G * scan.S : scan.I) : 0
  const state = scan ? scan.I * scan.S + convolved * (scan.W - 1) : 0
  return batch * (keys + L * state) * size
}
