import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import type { Key } from '../../numbers/threefry/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { destination } from './destination.js'
import { erfFloat32, erfInverseFloat32 } from './erf.js'
import { isShape, shaped } from './shaped.js'
import { type DrawOptions, fillUniform } from './uniform.js'

const { fround } = Math
const sqrt2 = fround(Math.SQRT2)
const reciprocalSqrt2 = fround(1 / sqrt2)

/** Options of `truncatedNormal`. */
export interface TruncatedNormalOptions extends DrawOptions {
  /** Lower bound, rounded to float32; -Infinity for none. Default -2. */
  lower?: number
  /** Upper bound, rounded to float32; Infinity for none. Default 2. */
  upper?: number
}

const truncatedNames: OptionTable<TruncatedNormalOptions> = {
  lower: 'optional',
  upper: 'optional',
  out: 'optional',
}

/**
 * n float32 from the standard normal distribution between two bounds, both excluded.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.truncated_normal there.
 * Special   bounds both beyond 5.3 on one side, where float32's erf is 1, give the bound's inner neighbour only, as in jax.
 * Throws    RangeError for NaN bounds, and lower not below upper.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example truncatedNormal(key(0), 2, { lower: -2, upper: 2 }) // 1.4559592008590698,1.714748740196228
 */
export function truncatedNormal(key: Key, n: number, options?: TruncatedNormalOptions): Float32Array
export function truncatedNormal(key: Key, shape: Shape, options?: TruncatedNormalOptions): Tensor<'float32'>
export function truncatedNormal(
  key: Key,
  n: number | Shape,
  options: TruncatedNormalOptions = noOptions,
): Float32Array | Tensor<'float32'> {
  checkOptions('truncatedNormal', options, truncatedNames, { positional: 'lower' })
  if (isShape(n)) {
    return shaped('truncatedNormal', n, 'float32', options.out, (size) => truncatedNormal(key, size, options))
  }
  const { lower = -2, upper = 2, out } = options
  const low = fround(lower)
  const high = fround(upper)
  if (!(low < high)) throw new RangeError(`truncatedNormal: lower is not below upper [${lower}, ${upper}]`)
  const least = -below(-low)
  const most = below(high)
  if (least > most) {
    throw new RangeError(`truncatedNormal: no float32 between the bounds [${lower}, ${upper}]`)
  }
  const values = destination('truncatedNormal', n, Float32Array, out)
  const a = erfFloat32(fround(low * reciprocalSqrt2))
  const b = erfFloat32(fround(high * reciprocalSqrt2))
  fillUniform('truncatedNormal', key, values, a, b)
  for (let i = 0; i < n; i++) {
    values[i] = Math.min(most, Math.max(least, fround(sqrt2 * erfInverseFloat32(values[i]!))))
  }
  return values
}

/** The float32 next below a float32 that is not -Infinity. */
function below(x: number): number {
  if (x === 0) return -(2 ** -149)
  const value = Float32Array.of(x)
  const code = new Int32Array(value.buffer)
  code[0] = code[0]! + (x > 0 ? -1 : 1)
  return value[0]!
}
