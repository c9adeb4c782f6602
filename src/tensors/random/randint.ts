import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, keyWords, split } from '../../numbers/threefry/index.js'
import type { Shape, Tensor } from '../tensor/index.js'
import { bits } from './bits.js'
import { checkCount, checkFresh } from './destination.js'
import { isShape, shaped } from './shaped.js'

/** Options of `randint`. */
export interface RandintOptions {
  /** Least value, at least -2^31. Default 0. */
  minval?: number
  /** One more than the greatest value, at most 2^31. */
  maxval: number
}

const randintNames: OptionTable<RandintOptions> = { minval: 'optional', maxval: 'required' }

/**
 * n integers from minval to maxval - 1, equal to jax.random.randint (int32). 64 random bits modulo the span, by
 * 32-bit steps that wrap: biased by up to span 2^-32 where the span is not a power of two.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Throws    RangeError for bounds that are no integers of -2^31..2^31, and an empty range (where jax gives minval).
 * Source    jax 0.10.2
 *
 * @example randint(key(0), 7, { maxval: 10 }) // 9,0,2,3,1,7,2
 */
export function randint(key: Key, n: number, options: RandintOptions): Int32Array
export function randint(key: Key, shape: Shape, options: RandintOptions): Tensor<'int32'>
export function randint(key: Key, n: number | Shape, options: RandintOptions): Int32Array | Tensor<'int32'> {
  checkOptions('randint', options, randintNames, { positional: 'maxval' })
  if (isShape(n)) return shaped('randint', n, 'int32', undefined, (size) => randint(key, size, options))
  const { minval = 0, maxval } = options
  keyWords('randint', key)
  checkCount('randint', n)
  checkFresh('randint', n)
  if (!(isBound(minval) && isBound(maxval) && minval < maxval)) {
    throw new RangeError(`randint: not a range of integers within -2^31..2^31 [${minval}, ${maxval}]`)
  }
  const [first, second] = split(key)
  const high = bits(first!, n)
  const low = bits(second!, n)
  const span = maxval - minval
  const values = new Int32Array(n)
  // 2^32 mod span, from the square of 2^16 mod span. The square is below 2^31, or 2^32 for spans above 2^16: there
  // it wraps and the multiplier is 0, so that only the low word counts.
  const root = 2 ** 16 % span
  const multiplier = Math.imul(root, root) % span
  for (let i = 0; i < n; i++) {
    const sum = (Math.imul(high[i]! % span, multiplier) + (low[i]! % span)) >>> 0
    values[i] = minval + (sum % span)
  }
  return values
}

function isBound(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value <= 2 ** 31
}
