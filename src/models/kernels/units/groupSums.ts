import { resultFacts } from './finish.js'
import { alignedBy } from './inputs.js'
import type { UnitRule } from './unit.js'

/** The products of a group: exact values, and exponents by which they are aligned. */
export interface Terms {
  readonly values: Float64Array
  readonly exponents: Int32Array
  /** How many there are. */
  count: number
}

/** The exponent of an accumulator of a format whose smallest normal number has the exponent `least`; of 0 that of float32. */
const exponentOf = (c: number, least: number): number => Math.max(alignedBy(c, least), -126)

/** What IEEE arithmetic makes of terms of which some are not finite; undefined where all are. */
function special({ values, count }: Terms, c: number): number | undefined {
  let sum = c
  for (let i = 0; i < count; i++) sum += values[i]!
  return Number.isFinite(sum) ? undefined : sum
}

/** The sum of terms cut toward zero to multiples of 2^(largest - align), and `largest`. */
function cutSum(terms: Terms, largest: number, align: number, from = 0, by = 1): number {
  const scale = 2 ** (align - largest)
  let sum = 0
  for (let i = from; i < terms.count; i += by) sum += Math.trunc(terms.values[i]! * scale)
  return sum / scale
}

function largestOf({ exponents, count }: Terms, least: number, from = 0, by = 1): number {
  let largest = least
  for (let i = from; i < count; i += by) if (exponents[i]! > largest) largest = exponents[i]!
  return largest
}

/** Products and accumulator in one sum. */
function aligned(terms: Terms, c: number, align: number, least: number): number {
  const largest = largestOf(terms, exponentOf(c, least))
  const scale = 2 ** (align - largest)
  return cutSum(terms, largest, align) + Math.trunc(c * scale) / scale
}

/** Fraction bits of the sum of products where it meets the accumulator. */
const sumBits = 31

const flooredTo = (x: number, exponent: number): number => {
  const step = 2 ** exponent
  return Math.floor(x / step) * step
}

/** CDNA 3: the products first, cut; then their sum and the accumulator, each rounded down. */
function floored(terms: Terms, c: number, align: number, inHalves: boolean): number {
  for (let i = 0; i < terms.count; i++) {
    if (Math.abs(terms.values[i]!) >= 2 ** 128) return flooredOverflow(terms)
  }
  // Below any product of two numbers that are not 0.
  const lowest = -600
  let largest: number
  let sum: number
  if (inHalves) {
    const even = largestOf(terms, lowest, 0, 2)
    const odd = largestOf(terms, lowest, 1, 2)
    largest = Math.max(even, odd)
    sum =
      flooredTo(cutSum(terms, even, align, 0, 2), largest - align) +
      flooredTo(cutSum(terms, odd, align, 1, 2), largest - align)
  } else {
    largest = largestOf(terms, lowest)
    sum = cutSum(terms, largest, align)
  }
  const own = c === 0 ? lowest : exponentOf(c, -126)
  const both = Math.max(largest, own)
  const isLost = inHalves && own < both - 25
  return flooredTo(sum, both - sumBits) + (isLost ? 0 : flooredTo(c, both - align))
}

/** Products past float32 are infinities of their own. */
function flooredOverflow({ values, count }: Terms): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    if (Math.abs(values[i]!) >= 2 ** 128) sum += Math.sign(values[i]!) * Infinity
  }
  return sum
}

/** Subnormal float32 numbers as zeros of their sign. */
export const flushed = (x: number): number => (Math.abs(x) < 2 ** -126 ? x * 0 : x)

/** CDNA 2: a tree of float32 sums, the accumulator last. */
function pairwise({ values, count }: Terms, c: number): number {
  const tree = (from: number, n: number): number => {
    const half = n >> 1
    return flushed(Math.fround(n === 1 ? values[from]! : tree(from, half) + tree(from + half, n - half)))
  }
  return flushed(Math.fround(c + tree(0, count)))
}

/** The exact sum of a group with the accumulator, before it is cut or rounded to what the unit writes. */
export function groupSum(terms: Terms, c: number, rule: UnitRule): number {
  const { adder = 'aligned', align } = rule
  const { least } = resultFacts[rule.result]
  if (adder === 'pairwise') return pairwise(terms, c)
  const known = special(terms, c)
  if (known !== undefined) return known
  if (adder === 'floored' || adder === 'floored halves') {
    return floored(terms, c, align, adder === 'floored halves')
  }
  return aligned(terms, c, align, least)
}
