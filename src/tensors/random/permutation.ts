import { type Key, keyWords, split } from '../../numbers/threefry/index.js'
import { bits } from './bits.js'
import { countOf, type NumericArray, take, type Values } from './take.js'

/**
 * The values in random order, or 0, 1, ..., n - 1 in random order; equal to jax.random.permutation. A new array.
 *
 * Random words are sorted (stable) and the values go along; words can be equal, so long arrays take several rounds.
 *
 * Shape     [n] -> [n]; n = 0 gives an empty array. The order depends on n.
 * Cost      per round (1 up to n = 1625, 2 up to 2.6 million) one draw and three counting passes.
 * Source    jax 0.10.2
 *
 * @example permutation(key(0), 7) // 0,1,5,6,4,3,2
 */
export function permutation(key: Key, values: number): Int32Array
export function permutation<T extends NumericArray>(key: Key, values: T): T
export function permutation<T>(key: Key, values: readonly T[]): T[]
export function permutation(key: Key, values: Values): Int32Array | NumericArray | unknown[] {
  return take(values, shuffledIndices('permutation', key, countOf('permutation', values)))
}

/** 0, 1, ..., n - 1 in the order of `permutation`. */
export function shuffledIndices(op: string, key: Key, n: number): Int32Array {
  keyWords(op, key)
  let order: Int32Array = Int32Array.from({ length: n }, (_, i) => i)
  const rounds = Math.ceil((3 * Math.log(Math.max(1, n))) / Math.log(2 ** 32 - 1))
  let current = key
  for (let round = 0; round < rounds; round++) {
    const [next, drawn] = split(current)
    order = sortedBy(bits(drawn!, n), order)
    current = next!
  }
  return order
}

/** The values in the ascending order of their words, equal words in the order given: a radix sort, 11 bits a pass. */
function sortedBy(words: Uint32Array, values: Int32Array): Int32Array {
  const n = words.length
  let fromWords = words
  let fromValues = values
  let toWords: Uint32Array = new Uint32Array(n)
  let toValues: Int32Array = new Int32Array(n)
  for (let shift = 0; shift < 32; shift += 11) {
    const place = new Uint32Array(2049)
    for (let i = 0; i < n; i++) place[((fromWords[i]! >>> shift) & 2047) + 1]!++
    for (let digit = 0; digit < 2048; digit++) place[digit + 1]! += place[digit]!
    for (let i = 0; i < n; i++) {
      const to = place[(fromWords[i]! >>> shift) & 2047]!++
      toWords[to] = fromWords[i]!
      toValues[to] = fromValues[i]!
    }
    ;[fromWords, toWords] = [toWords, fromWords]
    ;[fromValues, toValues] = [toValues, fromValues]
  }
  return fromValues
}
