import { checkOptions, noOptions } from '../../base/options/index.js'
import type { Key } from '../../numbers/threefry/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { destination } from './destination.js'
import { logFloat32 } from './log.js'
import { isShape, shaped } from './shaped.js'
import { type DrawOptions, drawNames, fillUniform } from './uniform.js'

/** The least u: the smallest normal float32, so that the inner logarithm is finite. */
const minNormalFloat32 = 2 ** -126

/**
 * n float32 from the standard Gumbel distribution: -log(-log(u)).
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.gumbel there (mode 'low').
 * Special   from -4.47 to 15.95, the resolution of 23 random bits.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example gumbel(key(0), 2) // 2.923372507095337,3.83261775970459
 */
export function gumbel(key: Key, n: number, options?: DrawOptions): Float32Array
export function gumbel(key: Key, shape: Shape, options?: DrawOptions): Tensor<'float32'>
export function gumbel(
  key: Key,
  n: number | Shape,
  options: DrawOptions = noOptions,
): Float32Array | Tensor<'float32'> {
  checkOptions('gumbel', options, drawNames, { positional: 'out' })
  if (isShape(n)) return shaped('gumbel', n, 'float32', options.out, (size) => gumbel(key, size, options))
  const { out } = options
  const values = destination('gumbel', n, Float32Array, out)
  fillGumbel('gumbel', key, values)
  return values
}

/** Fills `out` with Gumbel draws from counters start, start + 1, ... */
export function fillGumbel(op: string, key: Key, out: Float32Array, start = 0): void {
  fillUniform(op, key, out, minNormalFloat32, 1, start)
  const n = out.length
  for (let i = 0; i < n; i++) out[i] = -logFloat32(-logFloat32(out[i]!))
}
