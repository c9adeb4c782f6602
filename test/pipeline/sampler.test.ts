import fc from 'fast-check'
import { indexPermutation, indexSampler } from 'tpu-toolkit/pipeline'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const orderOf = (length: number, drawn: number): number[] => {
  const order = indexPermutation(length, key(drawn))
  return Array.from({ length }, (_, i) => order.at(i))
}

describe('indexPermutation', () => {
  it('indexPermutation(n) is a permutation for every n up to 300 and around powers of two', () => {
    const lengths = [...Array(301).keys(), 1023, 1024, 1025, 4095, 4096, 4097, 65_535, 65_536, 65_537]
    for (const length of lengths) {
      const seen = new Uint8Array(length)
      for (const index of orderOf(length, length)) seen[index]!++
      expect(
        seen.every((count) => count === 1),
        String(length),
      ).toBe(true)
    }
  })

  it(`at(i) stays in its range and never repeats at lengths up to 2^53 - 1 (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.nat(), (length, drawn) => {
        const order = indexPermutation(length, key(drawn))
        const places = [0, 1, length - 1, Math.floor(length / 2), Math.floor(length / 3)].filter(
          (i) => i < length,
        )
        const found = places.map((i) => order.at(i))
        expect(found.every((index) => Number.isSafeInteger(index) && index >= 0 && index < length)).toBe(true)
        expect(new Set(found).size).toBe(new Set(places).size)
      }),
      { seed, numRuns: 300 },
    )
  })

  // Counts within 6 sqrt(n p (1 - p)) of n p: a false alarm once in 2e-9 for each of the counts.
  it.each([2, 3, 4, 5, 6])('every order of %i elements is equally frequent over keys', (length) => {
    const orders = [1, 1, 2, 6, 24, 120, 720][length]!
    const draws = 200 * orders
    const counts = new Map<string, number>()
    for (let i = 0; i < draws; i++) {
      const order = orderOf(length, i).join('')
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    expect(counts.size).toBe(orders)
    const slack = 6 * Math.sqrt(draws * (1 / orders) * (1 - 1 / orders))
    for (const [order, count] of counts) expect(Math.abs(count - 200), order).toBeLessThanOrEqual(slack)
  })

  it.each([9, 100, 1500])('the first two of %i elements are any pair, equally often', (length) => {
    // In a grid of 5 x 5 cells of pairs, each expected draws (cell's pairs / all pairs) times.
    const draws = 20_000
    const cell = (index: number): number => Math.floor((5 * index) / length)
    const sizes = Array.from(
      { length: 5 },
      (_, c) => [...Array(length).keys()].filter((i) => cell(i) === c).length,
    )
    const counts = new Float64Array(25)
    for (let i = 0; i < draws; i++) {
      const order = indexPermutation(length, key(i))
      counts[5 * cell(order.at(0)) + cell(order.at(1))]!++
    }
    for (let a = 0; a < 5; a++) {
      for (let b = 0; b < 5; b++) {
        const p = (sizes[a]! * (sizes[b]! - (a === b ? 1 : 0))) / (length * (length - 1))
        expect(Math.abs(counts[5 * a + b]! - draws * p)).toBeLessThanOrEqual(
          6 * Math.sqrt(draws * p * (1 - p)),
        )
      }
    }
  })

  it('refuses what is no length and no place', () => {
    expect(() => indexPermutation(-1, key(0))).toThrow(
      new RangeError('indexPermutation: length is not an integer from 0 on [-1]'),
    )
    expect(() => indexPermutation(2, key(0)).at(2)).toThrow(new RangeError('at: not a place of the 2 [2]'))
    expect(() => indexPermutation(0, key(0)).at(0)).toThrow(new RangeError('at: not a place of the 0 [0]'))
    expect(() => indexPermutation(2, 7 as never)).toThrow(TypeError)
  })
})

describe('indexSampler', () => {
  it('every epoch is a permutation, and another one', () => {
    const sampler = indexSampler(50, { shuffle: true, seed: 3, epochs: 4 })
    const epochs = [0, 1, 2, 3].map((epoch) =>
      Array.from({ length: 50 }, (_, i) => sampler.at(50 * epoch + i)),
    )
    for (const order of epochs) expect([...order].sort((a, b) => a - b)).toEqual([...Array(50).keys()])
    expect(new Set(epochs.map(String)).size).toBe(4)
    expect([sampler.length, sampler.records, sampler.epochOf(149)]).toEqual([200, 50, 2])
  })

  it('at(position) does not depend on what was asked before', () => {
    const make = () => indexSampler(20, { shuffle: true, seed: 1, epochs: Number.POSITIVE_INFINITY })
    const forward = make()
    const ahead = Array.from({ length: 100 }, (_, i) => forward.at(i))
    const backward = make()
    const back = Array.from({ length: 100 }, (_, i) => backward.at(99 - i)).reverse()
    expect(back).toEqual(ahead)
    expect(forward.length).toBe(Number.POSITIVE_INFINITY)
    expect(forward.at(2 ** 52)).toBeLessThan(20)
  })

  it('the order of a seed never changes', () => {
    const sampler = indexSampler(1_000_000_007, { shuffle: true, seed: 42 })
    expect([0, 1, 2, 1_000_000_006].map((i) => sampler.at(i))).toEqual([
      454897203, 475780217, 190107558, 386051143,
    ])
  })

  it('no shuffle is the order of the source; no records have no places', () => {
    expect([0, 1, 2, 3].map(indexSampler(2, { epochs: 2 }).at)).toEqual([0, 1, 0, 1])
    expect(indexSampler(0, { epochs: Number.POSITIVE_INFINITY }).length).toBe(0)
    expect(indexSampler(5, { epochs: 0 }).length).toBe(0)
  })

  it('refuses bad options', () => {
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => indexSampler(1.5), 'indexSampler: records is not an integer from 0 on [1.5]'],
      [() => indexSampler(1, { epochs: -1 }), 'indexSampler: epochs is not an integer from 0 on [-1]'],
      [
        () => indexSampler(1, { epochs: Number.NaN }),
        'indexSampler: epochs is not an integer from 0 on [NaN]',
      ],
      [() => indexSampler(1, { shuffle: true }), 'indexSampler: shuffle needs a seed [undefined]'],
      [
        () => indexSampler(1, { shuffle: true, seed: 0.5 }),
        'key: seed is not a safe or 64-bit integer [0.5]',
      ],
      [
        () => indexSampler(2 ** 40, { epochs: 2 ** 20 }),
        'indexSampler: more places than integers are exact [1099511627776 x 1048576]',
      ],
      [() => indexSampler(3).at(3), 'at: not a place of the 3 [3]'],
      [() => indexSampler(3).epochOf(-1), 'at: not a place of the 3 [-1]'],
    ]
    for (const [call, message] of wrong) expect(call).toThrow(new RangeError(message))
  })
})
