import { checkOptions, noOptions } from '../../../base/options/index.js'
import type { Initializer } from './initializer.js'
import { type FanOptions, fanNames, scaling, type VarianceScalingOptions } from './varianceScaling.js'

type Scaling = Pick<VarianceScalingOptions, 'scale' | 'mode' | 'distribution'>

function named(op: string, options: FanOptions, how: Scaling): Initializer {
  checkOptions(op, options, fanNames, { positional: 'inAxis' })
  return scaling(op, { ...how, ...options })
}

/**
 * Glorot and Bengio's: variance 2 / (inputs + outputs), uniform. jax.nn.initializers.glorot_uniform, to the bit.
 *
 * @example glorotUniform()(random.key(0), [2, 2]).toNested() // [[1.0965558290481567,1.172276496887207],[-0.4108003079891205,-0.07674628496170044]]
 */
export function glorotUniform(options: FanOptions = noOptions): Initializer {
  return named('glorotUniform', options, { scale: 1, mode: 'fan-avg', distribution: 'uniform' })
}

/** Glorot and Bengio's: variance 2 / (inputs + outputs), normal cut at two deviations. jax.nn.initializers.glorot_normal. */
export function glorotNormal(options: FanOptions = noOptions): Initializer {
  return named('glorotNormal', options, { scale: 1, mode: 'fan-avg', distribution: 'truncated-normal' })
}

/** LeCun's: variance 1 / inputs, uniform. jax.nn.initializers.lecun_uniform, to the bit. */
export function lecunUniform(options: FanOptions = noOptions): Initializer {
  return named('lecunUniform', options, { scale: 1, mode: 'fan-in', distribution: 'uniform' })
}

/** LeCun's: variance 1 / inputs, normal cut at two deviations. jax.nn.initializers.lecun_normal, to the bit. */
export function lecunNormal(options: FanOptions = noOptions): Initializer {
  return named('lecunNormal', options, { scale: 1, mode: 'fan-in', distribution: 'truncated-normal' })
}

/** He's, for relu: variance 2 / inputs, uniform. jax.nn.initializers.he_uniform, to the bit. */
export function heUniform(options: FanOptions = noOptions): Initializer {
  return named('heUniform', options, { scale: 2, mode: 'fan-in', distribution: 'uniform' })
}

/** He's, for relu: variance 2 / inputs, normal cut at two deviations. jax.nn.initializers.he_normal, to the bit. */
export function heNormal(options: FanOptions = noOptions): Initializer {
  return named('heNormal', options, { scale: 2, mode: 'fan-in', distribution: 'truncated-normal' })
}
