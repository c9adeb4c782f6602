import { checkOptions, noOptions } from '../../base/options/index.js'
import type { Key } from '../../numbers/threefry/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { destination } from './destination.js'
import { log1pFloat32 } from './log.js'
import { isShape, shaped } from './shaped.js'
import { type DrawOptions, drawNames, fillUniform } from './uniform.js'

/**
 * n float32 from the exponential distribution of rate 1: -log(1 - u).
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.exponential there.
 * Special   from 0 to 15.95, the resolution of 23 random bits.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example exponential(key(0), 2) // 2.9501280784606934,3.8434245586395264
 */
export function exponential(key: Key, n: number, options?: DrawOptions): Float32Array
export function exponential(key: Key, shape: Shape, options?: DrawOptions): Tensor<'float32'>
export function exponential(
  key: Key,
  n: number | Shape,
  options: DrawOptions = noOptions,
): Float32Array | Tensor<'float32'> {
  checkOptions('exponential', options, drawNames, { positional: 'out' })
  if (isShape(n)) {
    return shaped('exponential', n, 'float32', options.out, (size) => exponential(key, size, options))
  }
  const { out } = options
  const values = destination('exponential', n, Float32Array, out)
  fillUniform('exponential', key, values, 0, 1)
  for (let i = 0; i < n; i++) values[i] = -log1pFloat32(-values[i]!)
  return values
}
