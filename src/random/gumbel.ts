import { checkOptions, noOptions } from '../options/index.js'
import { destination } from './destination.js'
import type { Key } from './key.js'
import { logFloat32 } from './log.js'
import { type DrawOptions, drawNames, fillUniform } from './uniform.js'

/** The least u: the smallest normal float32, so that the inner logarithm is finite. */
const minNormalFloat32 = 2 ** -126

/**
 * n float32 from the standard Gumbel distribution: -log(-log(u)).
 *
 * Shape     [n]; n = 0 gives an empty array; element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.gumbel there (mode 'low').
 * Special   from -4.47 to 15.95, the resolution of 23 random bits.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example gumbel(key(0), 2) // 2.923372507095337,3.83261775970459
 */
export function gumbel(key: Key, n: number, options: DrawOptions = noOptions): Float32Array {
  checkOptions('gumbel', options, drawNames, { positional: 'out' })
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
