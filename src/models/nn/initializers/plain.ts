import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { normal, truncatedNormal, uniform } from '../../../tensors/random/index.js'
import { full, mul } from '../../../tensors/tensor/index.js'
import { checkInitialShape, type Initializer } from './initializer.js'

/**
 * One value everywhere, rounded to float32; the key is not used. jax.nn.initializers.constant, zeros and ones.
 *
 * @example constant(0.5)(random.key(0), [2]).toNested() // [0.5,0.5]
 */
export function constant(value: number): Initializer {
  if (typeof value !== 'number') throw new TypeError(`constant: value is not a number [${String(value)}]`)
  return (_, shape) => {
    checkInitialShape('constant', shape)
    return full([...shape], value, { dtype: 'float32' })
  }
}

/** Options of `uniformWeights`. */
export interface UniformWeightsOptions {
  /** The upper end of the interval from 0. Default 0.01. */
  readonly scale?: number
}

/** Options of `normalWeights`. */
export interface NormalWeightsOptions {
  /** The standard deviation, before it is cut where it is. Default 0.01. */
  readonly deviation?: number
}

/** Options of `truncatedNormalWeights`. */
export interface TruncatedNormalWeightsOptions extends NormalWeightsOptions {
  /** The lower bound in deviations. Default -2. */
  readonly lower?: number
  /** The upper bound in deviations. Default 2. */
  readonly upper?: number
}

const uniformNames: OptionTable<UniformWeightsOptions> = { scale: 'optional' }
const normalNames: OptionTable<NormalWeightsOptions> = { deviation: 'optional' }
const truncatedNames: OptionTable<TruncatedNormalWeightsOptions> = {
  ...normalNames,
  lower: 'optional',
  upper: 'optional',
}

/**
 * Uniform on [0, scale). jax.nn.initializers.uniform, to the bit.
 *
 * @example uniformWeights({ scale: 1 })(random.key(0), [2]).toNested() // [0.9476670026779175,0.9785798788070679]
 */
export function uniformWeights(options: UniformWeightsOptions = noOptions): Initializer {
  checkOptions('uniformWeights', options, uniformNames, { positional: 'scale' })
  const { scale = 0.01 } = options
  checkNumber('uniformWeights', 'scale', scale)
  return (key, shape) => {
    checkInitialShape('uniformWeights', shape)
    return mul(uniform(key, shape), scale)
  }
}

/**
 * Normal of mean 0. jax.nn.initializers.normal, to the bit.
 *
 * @example normalWeights({ deviation: 1 })(random.key(0), [2]).toNested() // [1.622642159461975,2.0252647399902344]
 */
export function normalWeights(options: NormalWeightsOptions = noOptions): Initializer {
  checkOptions('normalWeights', options, normalNames, { positional: 'deviation' })
  const { deviation = 0.01 } = options
  checkNumber('normalWeights', 'deviation', deviation, 0)
  return (key, shape) => {
    checkInitialShape('normalWeights', shape)
    return mul(normal(key, shape), deviation)
  }
}

/**
 * Normal of mean 0, cut at `lower` and `upper` deviations; the deviation after the cut is smaller (.88 of it at 2).
 * jax.nn.initializers.truncated_normal, to the bit.
 */
export function truncatedNormalWeights(options: TruncatedNormalWeightsOptions = noOptions): Initializer {
  checkOptions('truncatedNormalWeights', options, truncatedNames, { positional: 'deviation' })
  const { deviation = 0.01, ...bounds } = options
  checkNumber('truncatedNormalWeights', 'deviation', deviation, 0)
  return (key, shape) => {
    checkInitialShape('truncatedNormalWeights', shape)
    return mul(truncatedNormal(key, shape, bounds), deviation)
  }
}
