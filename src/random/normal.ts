import { checkOptions, noOptions } from '../options/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { destination } from './destination.js'
import { erfInverseFloat32 } from './erf.js'
import type { Key } from './key.js'
import { isShape, shaped } from './shaped.js'
import { type DrawOptions, drawNames, fillUniform } from './uniform.js'

const sqrt2 = Math.fround(Math.SQRT2)
/** The float32 above -1: the inverse error function is finite from here. */
const aboveMinusOne = -1 + 2 ** -24

/**
 * n float32 from the standard normal distribution: sqrt(2) erfinv(u), u uniform on (-1, 1).
 * Scale and shift are the caller's, each with its own rounding.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.normal there.
 * Special   finite: |x| <= 5.42, the resolution of 23 random bits.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example normal(key(0), 2) // 1.622642159461975,2.0252647399902344
 * @example normal(key(0), [2, 3]).shape // [2,3]
 */
export function normal(key: Key, n: number, options?: DrawOptions): Float32Array
export function normal(key: Key, shape: Shape, options?: DrawOptions): Tensor<'float32'>
export function normal(
  key: Key,
  n: number | Shape,
  options: DrawOptions = noOptions,
): Float32Array | Tensor<'float32'> {
  checkOptions('normal', options, drawNames, { positional: 'out' })
  if (isShape(n)) return shaped('normal', n, 'float32', options.out, (size) => normal(key, size, options))
  const { out } = options
  const values = destination('normal', n, Float32Array, out)
  fillUniform('normal', key, values, aboveMinusOne, 1)
  for (let i = 0; i < n; i++) values[i] = sqrt2 * erfInverseFloat32(values[i]!)
  return values
}
