import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import type { Key } from '../../numbers/threefry/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { fillWords } from './bits.js'
import { destination } from './destination.js'
import { fmaFloat32 } from './fma.js'
import { isShape, shaped } from './shaped.js'

/** Options of every float32 draw. */
export interface DrawOptions {
  /** Where to write, of length n. Default: a new array. */
  out?: Float32Array
}

export const drawNames: OptionTable<DrawOptions> = { out: 'optional' }

/** Options of `uniform`. */
export interface UniformOptions extends DrawOptions {
  /** Lower end, rounded to float32. Default 0. */
  minval?: number
  /** Upper end, rounded to float32. Default 1. */
  maxval?: number
}

const uniformNames: OptionTable<UniformOptions> = { ...drawNames, minval: 'optional', maxval: 'optional' }

/**
 * n float32 from the uniform distribution on [minval, maxval), equal to jax.random.uniform.
 * A draw u is a multiple of 2^-23 in [0, 1); the result is u (maxval - minval) + minval.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  minval, maxval and their difference to float32, then the multiply-add once (fused): so the result can
 *           be maxval itself.
 * Throws    RangeError for bounds that are not finite, or whose difference is not, and minval > maxval.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2 on CPU, whose compiler fuses the multiply-add
 *
 * @example uniform(key(0), 2) // 0.9476670026779175,0.9785798788070679
 */
export function uniform(key: Key, n: number, options?: UniformOptions): Float32Array
export function uniform(key: Key, shape: Shape, options?: UniformOptions): Tensor<'float32'>
export function uniform(
  key: Key,
  n: number | Shape,
  options: UniformOptions = noOptions,
): Float32Array | Tensor<'float32'> {
  checkOptions('uniform', options, uniformNames, { positional: 'minval' })
  if (isShape(n)) return shaped('uniform', n, 'float32', options.out, (size) => uniform(key, size, options))
  const { minval = 0, maxval = 1, out } = options
  const low = Math.fround(minval)
  const high = Math.fround(maxval)
  if (!(low <= high && Number.isFinite(Math.fround(high - low)))) {
    throw new RangeError(`uniform: not a finite range [${minval}, ${maxval}]`)
  }
  const values = destination('uniform', n, Float32Array, out)
  fillUniform('uniform', key, values, low, high)
  return values
}

/** Fills `out` with float32 draws of [low, high), both float32, from counters start, start + 1, ... */
export function fillUniform(
  op: string,
  key: Key,
  out: Float32Array,
  low: number,
  high: number,
  start = 0,
): void {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length)
  fillWords(op, key, words, start)
  const n = out.length
  const span = Math.fround(high - low)
  // 23 random bits as the fraction of a float32 in [1, 2).
  if (low === 0 && span === 1) {
    for (let i = 0; i < n; i++) out[i] = (words[i]! >>> 9) * 2 ** -23
  } else {
    for (let i = 0; i < n; i++) out[i] = Math.max(low, fmaFloat32((words[i]! >>> 9) * 2 ** -23, span, low))
  }
}
