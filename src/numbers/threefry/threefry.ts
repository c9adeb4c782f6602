/** Two uint32 words: a key, or a 64-bit counter, high word first. */
export type WordPair = readonly [number, number]

/** Rotation distances of the eight rounds that repeat (Salmon et al. 2011, table 2). */
const rotations = [13, 15, 26, 6, 17, 29, 16, 24] as const

/** Skein's key-schedule parity constant, cut to 32 bits: the third key word is the parity of the other two with it. */
const parity = 0x1bd11bda

/**
 * Threefry-2x32 with 20 rounds: the counter enciphered under the key. The readable form of `fillWords` (bits.ts).
 *
 * Source    Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, doi:10.1145/2063384.2063405
 *
 * @example threefry2x32([0, 0], [0, 0]) // [1797259609,2579123966]
 */
export function threefry2x32(key: WordPair, counter: WordPair): WordPair {
  const schedule = [key[0], key[1], key[0] ^ key[1] ^ parity]
  let a = (counter[0] + schedule[0]!) | 0
  let b = (counter[1] + schedule[1]!) | 0
  for (let round = 0; round < 20; round++) {
    const r = rotations[round % 8]!
    a = (a + b) | 0
    b = ((b << r) | (b >>> (32 - r))) ^ a
    if (round % 4 === 3) {
      const group = (round + 1) / 4
      a = (a + schedule[group % 3]!) | 0
      b = (b + schedule[(group + 1) % 3]! + group) | 0
    }
  }
  return [a >>> 0, b >>> 0]
}
