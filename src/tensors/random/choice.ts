import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, keyWords } from '../../numbers/threefry/index.js'
import { checkCount, checkFresh } from './destination.js'
import { gumbel } from './gumbel.js'
import { logFloat32 } from './log.js'
import { shuffledIndices } from './permutation.js'
import { randint } from './randint.js'
import { countOf, type NumericArray, take, type Values } from './take.js'
import { uniform } from './uniform.js'

const { fround } = Math

/** Options of `choice`. */
export interface ChoiceOptions {
  /** Whether one value can be drawn several times. Default true. */
  replace?: boolean
  /** The values' weights, rounded to float32, subnormals to 0; they need not sum to 1. Default: all alike. */
  p?: ArrayLike<number>
}

const choiceNames: OptionTable<ChoiceOptions> = { replace: 'optional', p: 'optional' }

/**
 * n draws from the values, or from 0, 1, ..., values - 1; equal to jax.random.choice.
 *
 * Shape     [m] -> [n]; n = 0 gives an empty array.
 * Rounding  weights are summed in float32 in the order of XLA's cumsum on CPU (rows of 16, then their totals).
 * Throws    RangeError for no values, more draws without replacement than values of positive weight, weights that are
 *           negative, not finite, all zero or not one for each value (jax checks the first two, without weights).
 * Source    jax 0.10.2: randint, permutation, inversion of the summed weights, or the n greatest of
 *           gumbel + log(weight)
 *
 * @example choice(key(0), ['a', 'b', 'c'], 4) // b,a,c,b
 */
export function choice(key: Key, values: number, n: number, options?: ChoiceOptions): Int32Array
export function choice<T extends NumericArray>(key: Key, values: T, n: number, options?: ChoiceOptions): T
export function choice<T>(key: Key, values: readonly T[], n: number, options?: ChoiceOptions): T[]
export function choice(
  key: Key,
  values: Values,
  n: number,
  options: ChoiceOptions = noOptions,
): Int32Array | NumericArray | unknown[] {
  checkOptions('choice', options, choiceNames, { positional: 'replace' })
  const { replace = true, p } = options
  keyWords('choice', key)
  checkCount('choice', n)
  checkFresh('choice', n)
  const count = countOf('choice', values)
  const weights = p === undefined ? undefined : checkedWeights(p, count)
  if (n > 0 && count === 0) throw new RangeError('choice: no values to draw from [0]')
  const available = weights === undefined ? count : weights.filter((weight) => weight > 0).length
  if (!replace && n > available) {
    throw new RangeError(`choice: more draws without replacement than values [${n} of ${available}]`)
  }
  if (weights !== undefined) {
    return take(values, replace ? byInversion(key, weights, n) : byGumbel(key, weights, n))
  }
  if (!replace) return take(values, shuffledIndices('choice', key, count).slice(0, n))
  return take(values, randint(key, n, { maxval: Math.max(1, count) }))
}

function checkedWeights(p: ArrayLike<number>, count: number): Float32Array {
  if (p.length !== count) {
    throw new RangeError(`choice: p is not of the values' length [${p.length}, ${count}]`)
  }
  const weights = Float32Array.from(p, (weight) => (Math.abs(weight) < 2 ** -126 ? 0 : weight))
  const wrong = weights.findIndex((weight) => !(weight >= 0 && weight < Infinity))
  if (wrong >= 0) {
    throw new RangeError(`choice: a weight is negative or not finite [p[${wrong}] = ${p[wrong]}]`)
  }
  const total = sumsByRows(weights).at(-1) ?? 1
  if (!(total > 0 && total < Infinity)) {
    throw new RangeError(`choice: the weights' sum is no positive float32 [${total}]`)
  }
  return weights
}

/** For each draw the first index whose summed weight reaches total (1 - u). */
function byInversion(key: Key, weights: Float32Array, n: number): Int32Array {
  const sums = sumsByRows(weights)
  const total = sums.at(-1) ?? 0
  return Int32Array.from(uniform(key, n), (u) => {
    const target = fround(total * fround(1 - u))
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! < target) low = middle + 1
      else high = middle
    }
    return low
  })
}

/** The indices of the n greatest of gumbel + log(weight), greatest first; equals stay in order (sort is stable). */
function byGumbel(key: Key, weights: Float32Array, n: number): Int32Array {
  const scores = gumbel(key, weights.length)
  for (let i = 0; i < scores.length; i++) scores[i] = scores[i]! + logFloat32(weights[i]!)
  const order = Int32Array.from(weights, (_, i) => i)
  return order.sort((i, j) => scores[j]! - scores[i]!).slice(0, n)
}

/** Running float32 sums in rows of 16; each row after the first adds the sum of the rows before it, found alike. */
function sumsByRows(values: Float32Array): Float32Array {
  const sums = Float32Array.from(values)
  for (let i = 0; i < sums.length; i++) if (i % 16 !== 0) sums[i] = sums[i]! + sums[i - 1]!
  if (sums.length <= 16) return sums
  const totals = sumsByRows(sums.filter((_, i) => i % 16 === 15 || i === sums.length - 1))
  for (let i = 16; i < sums.length; i++) sums[i] = sums[i]! + totals[(i >>> 4) - 1]!
  return sums
}
