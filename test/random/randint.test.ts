import fc from 'fast-check'
import { bits, key, type RandintOptions, randint, split } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws } from './answers.js'
import { countSigmas } from './statistics.js'

describe('randint', () => {
  it.each(draws)('randint(key(%i), %i) equals jax.random.randint', (s, n, draw) => {
    expect(Array.from(randint(key(s), n, { maxval: 10 }))).toEqual(draw['randint_0_10'])
    expect(Array.from(randint(key(s), n, { minval: -5, maxval: 1000 }))).toEqual(draw['randint_-5_1000'])
  })

  it.each(callsOf('randint'))('randint: %s equals jax.random.randint', (_, call) => {
    const options = call.args[1] as RandintOptions
    expect(digest(randint(key(call.seed), call.length, options))).toEqual(answer(call))
  })

  it('randint(key, 0) is empty and a bad n throws', () => {
    expect(randint(key(0), 0, { maxval: 3 })).toEqual(new Int32Array(0))
    expect(() => randint(key(0), -1, { maxval: 3 })).toThrow(
      new RangeError('randint: n is not an integer in 0..2^32-1 [-1]'),
    )
  })

  it.each([
    [5, 5],
    [5, 3],
    [0, 0.5],
    [0.5, 3],
    [0, NaN],
    [0, 2 ** 31 + 1],
    [-(2 ** 31) - 1, 0],
  ])('randint(key, n, { minval: %d, maxval: %d }) throws', (minval, maxval) => {
    expect(() => randint(key(0), 1, { minval, maxval })).toThrow(
      new RangeError(`randint: not a range of integers within -2^31..2^31 [${minval}, ${maxval}]`),
    )
  })
})

describe(`randint, properties (seed ${seed})`, () => {
  it('randint is 64 random bits modulo a span of at most 2^16', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.integer({ min: 1, max: 2 ** 16 }), fc.integer(), (s, span, low) => {
        const minval = Math.min(low, 2 ** 31 - span)
        const [first, second] = split(key(s))
        const high = bits(first!, 5)
        const expected = Array.from(bits(second!, 5), (word, i) => {
          return minval + Number(((BigInt(high[i]!) << 32n) | BigInt(word)) % BigInt(span))
        })
        expect(Array.from(randint(key(s), 5, { minval, maxval: minval + span }))).toEqual(expected)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('randint(key, 1e5, 7 values) has each in a seventh of the draws, 6 sigma', () => {
    const values = randint(key(seed), 100_000, { minval: -3, maxval: 4 })
    for (let v = -3; v < 4; v++) {
      expect(
        countSigmas(values.filter((x) => x === v).length, values.length, 1 / 7),
        `value ${v}`,
      ).toBeLessThan(6)
    }
  })
})
