import { bits, type Key } from '../../../tensors/random/index.js'

/** A random permutation of 0, 1, ..., length - 1, each position of which is computed on request. */
export interface IndexPermutation {
  readonly length: number
  /** What stands at place i. */
  at(i: number): number
}

/** Below this length more rounds are taken: the halves of a short range mix slowly. */
const shortLength = 1024
const rounds = { short: 24, long: 8 } as const

/**
 * A permutation of 0 ... length - 1 drawn by a key. No table: a place takes a few hundred nanoseconds, whatever the length.
 *
 * The range is written as a rectangle of a rows and b columns, a b >= length, and enciphered by a generalised Feistel
 * network: the row number moves by a hash of the column number, then the column number by a hash of the row number, and
 * so on. Places of the rectangle that are not in the range are enciphered again until one is (cycle walking; fewer than
 * two in sqrt(length) places are outside). Round keys are Threefry bits of the key, the hash is MurmurHash3's finaliser twice.
 *
 * Special   every order of up to 7 elements is equally frequent within what a chi-square test sees (24 rounds below 1024
 *           elements, 8 from there on); of longer ranges an order is one of 2^64 at most, as of any keyed generator.
 * Source    Black, Rogaway: Ciphers with arbitrary finite domains, CT-RSA 2002, doi:10.1007/3-540-45760-7_9
 *
 * @example Array.from({ length: 6 }, (_, i) => indexPermutation(6, random.key(1)).at(i)) // [0, 5, 4, 1, 2, 3]
 */
export function indexPermutation(length: number, key: Key): IndexPermutation {
  if (!(Number.isSafeInteger(length) && length >= 0)) {
    throw new RangeError(`indexPermutation: length is not an integer from 0 on [${String(length)}]`)
  }
  const a = Math.ceil(Math.sqrt(length))
  const least = Math.ceil(length / Math.max(a, 1))
  // Were both sides odd, every round would be an even permutation and half of the orders could never come.
  const b = a % 2 === 1 && least % 2 === 1 ? least + 1 : least
  const words = bits(key, 2 * (length < shortLength ? rounds.short : rounds.long))

  const encipher = (place: number): number => {
    let row = Math.floor(place / b)
    let column = place - row * b
    for (let i = 0; i < words.length; i += 4) {
      row += hash(column, words[i]!, words[i + 1]!) % a
      if (row >= a) row -= a
      column += hash(row, words[i + 2]!, words[i + 3]!) % b
      if (column >= b) column -= b
    }
    return row * b + column
  }
  return {
    length,
    at: (i) => {
      if (!(Number.isSafeInteger(i) && i >= 0 && i < length)) {
        throw new RangeError(`at: not a place of the ${length} [${String(i)}]`)
      }
      let place = encipher(i)
      while (place >= length) place = encipher(place)
      return place
    },
  }
}

/** 31 bits, which engines divide as integers. */
function hash(x: number, k0: number, k1: number): number {
  return finalise((finalise(x ^ k0) + k1) | 0) >>> 1
}

/** MurmurHash3's 32-bit finaliser, https://github.com/aappleby/smhasher (public domain). */
function finalise(x: number): number {
  let h = x ^ (x >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
