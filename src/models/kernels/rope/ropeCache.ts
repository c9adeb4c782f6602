import { checkOptions, checkRecord, noOptions, type OptionTable, shown } from '../../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  cos,
  type FloatDType,
  holds,
  isFloat,
  mul,
  reshape,
  sin,
  Tensor,
  tensor,
  wideDType,
} from '../../../tensors/tensor/index.js'
import type { RopeFrequencies } from './ropeFrequencies.js'

/** How the table of a rotary embedding is computed. */
export interface RopeCacheOptions<R extends FloatDType = FloatDType> {
  /** Where cos and sin are kept. Default: the dtype of the angles. */
  readonly dtype?: R
  /**
   * What position, frequency and angle are rounded to, and cos and sin before `dtype`. Default 'float32', 'float64' for
   * frequencies of float64; 'bfloat16' is a known mistake.
   */
  readonly angles?: FloatDType
}

/** cos and sin of every position's angles, each [positions, dim / 2]. */
export interface RopeCache<R extends FloatDType = FloatDType> {
  readonly cos: Tensor<R>
  readonly sin: Tensor<R>
}

const names: OptionTable<RopeCacheOptions> = { dtype: 'optional', angles: 'optional' }

/**
 * The table of a rotary embedding: cos and sin of position times frequency.
 *
 * Shape     positions a list or a tensor [positions], any numbers, those of one query in decoding among them.
 * Rounding  position and frequency to `angles`, their product, its cos and sin, each times the attention factor where that is
 *           not 1; once to `dtype`.
 * Error     of float32 angles up to position 2^-23: 5e-4 at 65,535. Of bfloat16 angles everything past some hundred positions.
 * Source    "When precision meets position", arXiv 2411.13476, on angles and tables in bfloat16
 *
 * @example ropeCache(ropeFrequencies({ dim: 2 }), [0, 1]).cos.toNested() // [[1], [0.5403022766113281]]
 */
export function ropeCache<F extends FloatDType, R extends FloatDType = 'float32'>(
  frequencies: RopeFrequencies<F>,
  positions: Tensor | readonly number[],
  options: RopeCacheOptions<R> = noOptions,
): RopeCache<R> {
  checkRecord('ropeCache', 'frequencies', frequencies, ['values', 'attentionFactor'])
  checkOptions('ropeCache', options, names, { positional: 'dtype' })
  const { values, attentionFactor } = frequencies
  if (!(values instanceof Tensor) || !isFloat(values.dtype) || values.rank !== 1) {
    throw new TypeError(`ropeCache: values are no floats in one row [${shown(values)}]`)
  }
  const { angles = wideDType(values.dtype) } = options
  checkFloatDType('ropeCache', 'angles', angles)
  const dtype = (options.dtype ?? angles) as R
  checkFloatDType('ropeCache', 'dtype', dtype)
  if (!holds(angles, 'bfloat16') && angles !== 'bfloat16' && angles !== 'float16') {
    throw new TypeError(`ropeCache: angles need a wider range than 8 bits have [${angles}]`)
  }
  const given = at(positions)
  const angle = mul(reshape(cast(given, angles), [given.size, 1]), cast(values as Tensor, angles))
  const table = (x: Tensor): Tensor<R> => cast(attentionFactor === 1 ? x : mul(x, attentionFactor), dtype)
  return { cos: table(cos(angle)), sin: table(sin(angle)) }
}

function at(positions: Tensor | readonly number[]): Tensor {
  if (!(positions instanceof Tensor) && !Array.isArray(positions)) {
    throw new TypeError(`ropeCache: positions are not a list or a tensor [${shown(positions)}]`)
  }
  const given: Tensor =
    positions instanceof Tensor ? positions : tensor(positions as readonly number[], { dtype: 'float64' })
  if (given.rank !== 1) {
    throw new RangeError(`ropeCache: positions are not in one row [${given.shape.join(', ')}]`)
  }
  return given
}
