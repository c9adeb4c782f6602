import { threefry2x32, type WordPair } from './threefry.js'

/** A stream of random bits as a value: two uint32 words, frozen. The same key always draws the same numbers. */
export interface Key {
  readonly data: WordPair
}

/**
 * The key of a seed: words (0, seed mod 2^32), as jax.random.key with 64-bit types off, which drops the high
 * half of a larger seed too (key(2 ** 32) is key(0)). Integers: safe numbers, or bigints of 64 bits with sign.
 *
 * @example key(42).data // [0,42]
 */
export function key(seed: number | bigint): Key {
  const valid = typeof seed === 'bigint' ? BigInt.asIntN(64, seed) === seed : Number.isSafeInteger(seed)
  if (!valid) throw new RangeError(`key: seed is not a safe or 64-bit integer [${String(seed)}]`)
  return keyOf([0, Number(BigInt.asUintN(32, BigInt(seed)))])
}

/**
 * Splits a random key into n new keys (`split` of tensor splits a tensor): key i is the cipher of counter i, so a larger n does
 * not change the first ones.
 *
 * @example split(key(0)).map((k) => k.data[0]) // [1797259609,928981903]
 */
export function split(key: Key, n = 2): Key[] {
  const words = keyWords('split', key)
  if (!(Number.isInteger(n) && n >= 0 && n < 2 ** 32)) {
    throw new RangeError(`split: n is not an integer in 0..2^32-1 [${String(n)}]`)
  }
  return Array.from({ length: n }, (_, i) => keyOf(threefry2x32(words, [0, i])))
}

/**
 * A new key from a key and a uint32: a step, a layer, a worker. As jax.random.fold_in.
 *
 * @example foldIn(key(0), 1).data // [928981903,3453687069]
 */
export function foldIn(key: Key, data: number): Key {
  const words = keyWords('foldIn', key)
  if (!(Number.isInteger(data) && data >= 0 && data < 2 ** 32)) {
    throw new RangeError(`foldIn: data is not an integer in 0..2^32-1 [${String(data)}]`)
  }
  return keyOf(threefry2x32(words, [0, data]))
}

/** The words of a key argument, checked: a plain seed in its place is the common mistake. */
export function keyWords(op: string, key: Key): WordPair {
  const data = (key as Partial<Key> | undefined)?.data
  if (data?.length !== 2 || !data.every((word) => typeof word === 'number' && word >>> 0 === word)) {
    throw new TypeError(`${op}: not a key, make one with key(seed) [${String(key).slice(0, 50)}]`)
  }
  return data
}

function keyOf(words: WordPair): Key {
  return Object.freeze({ data: Object.freeze(words) })
}
