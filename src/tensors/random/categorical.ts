import { checkArray, shown } from '../../base/options/index.js'
import { type Key, keyWords } from '../../numbers/threefry/index.js'
import { checkCount, checkFresh } from './destination.js'
import { fillGumbel } from './gumbel.js'

/** Gumbel draws held at a time. */
const blockSize = 4096

/**
 * n indices of categories, index k with a probability proportional to exp(logits[k]): the argmax of logits + gumbel,
 * the first of equals, in the operations of XLA on CPU and so equal to jax.random.categorical there.
 *
 * Shape     logits [m] -> [n]; n = 0 gives an empty array; element i does not depend on n.
 * Rounding  logits to float32, the sum to float32.
 * Special   a logit of -Infinity is never drawn; if any is +Infinity, the first such always.
 * Throws    RangeError for no logits, a NaN, and none above -Infinity.
 * Cost      n m Gumbel draws, in blocks of about 4096.
 * Source    jax 0.10.2
 *
 * @example categorical(key(0), [0.1, 0.2, 0.3, 0.4].map(Math.log), 4) // 1,3,2,3
 */
export function categorical(key: Key, logits: ArrayLike<number>, n: number): Int32Array {
  keyWords('categorical', key)
  checkCount('categorical', n)
  checkFresh('categorical', n)
  checkArray('categorical', 'logits', logits)
  const wrong = Array.prototype.find.call(logits, (logit) => typeof logit !== 'number') as unknown
  if (wrong !== undefined) throw new TypeError(`categorical: a logit is not a number [${shown(wrong)}]`)
  const scores = Float32Array.from(logits)
  const m = scores.length
  if (scores.some(Number.isNaN) || !scores.some((score) => score > -Infinity)) {
    throw new RangeError(
      `categorical: logits have a NaN or no value above -Infinity [${String(scores).slice(0, 50)}]`,
    )
  }
  if (n * m >= 2 ** 32) {
    throw new RangeError(`categorical: n draws of m logits are 2^32 or more [${n} x ${m}]`)
  }
  const indices = new Int32Array(n)
  const rows = Math.max(1, Math.floor(blockSize / m))
  const block = new Float32Array(Math.min(rows, n) * m)
  for (let row = 0; row < n; row += rows) {
    const count = Math.min(rows, n - row)
    fillGumbel('categorical', key, block.subarray(0, count * m), row * m)
    for (let i = 0; i < count; i++) indices[row + i] = argmaxOfSum(scores, block, i * m)
  }
  return indices
}

function argmaxOfSum(scores: Float32Array, draws: Float32Array, from: number): number {
  let best = 0
  let greatest = Math.fround(scores[0]! + draws[from]!)
  for (let k = 1; k < scores.length; k++) {
    const score = Math.fround(scores[k]! + draws[from + k]!)
    if (score > greatest) {
      greatest = score
      best = k
    }
  }
  return best
}
