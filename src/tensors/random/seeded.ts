import seedrandom from 'seedrandom'

/** A stream of numbers with a state of its own: each call gives the next one. */
export interface SeededStream {
  /** The next number in [0, 1), 32 bits of randomness at least. */
  (): number
  /** The next number in [0, 1) with 56 bits of randomness. */
  double(): number
  /** The next int32; `>>> 0` makes it a uint32. */
  int32(): number
  /** The next number in [0, 1) with 32 bits of randomness. */
  quick(): number
}

/**
 * The seedrandom stream of a text, for everything that only has to be repeatable. Math.random is left alone.
 *
 * @example seeded('hello.')() // 0.9282578795792454
 */
export function seeded(text: string): SeededStream {
  if (typeof text !== 'string') throw new TypeError(`seeded: text is not a string [${String(text)}]`)
  return seedrandom(text)
}
