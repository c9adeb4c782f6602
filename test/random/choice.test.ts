import { bits, type ChoiceOptions, choice, key, permutation, split } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws } from './answers.js'
import { countSigmas } from './statistics.js'

describe('choice', () => {
  it.each(draws.filter(([, , draw]) => draw['choice_without_replacement_half']))(
    'choice(key(%i), %i, n / 2, { replace: false }) equals jax.random.choice',
    (s, n, draw) => {
      const half = Math.floor(n / 2)
      expect(Array.from(choice(key(s), n, half, { replace: false }))).toEqual(
        draw['choice_without_replacement_half'],
      )
    },
  )

  it.each(callsOf('choice'))('choice: %s equals jax.random.choice', (_, call) => {
    const [values, n, options] = call.args as [number, number, ChoiceOptions?]
    expect(digest(choice(key(call.seed), values, n, options))).toEqual(answer(call))
  })

  it('choice of an array picks its values as it picks indices, and keeps its type', () => {
    const letters = Array.from('abcde')
    for (const options of [
      {},
      { replace: false },
      { p: [1, 2, 3, 4, 5] },
      { p: [1, 2, 3, 4, 5], replace: false },
    ]) {
      const picked = Array.from(choice(key(4), 5, 5, options))
      expect(choice(key(4), letters, 5, options)).toEqual(picked.map((i) => letters[i]))
      expect(choice(key(4), Float64Array.of(0, 1, 2, 3, 4), 5, options)).toEqual(Float64Array.from(picked))
    }
  })

  it('choice(key, values, 0) is empty, of nothing too', () => {
    expect(choice(key(0), 5, 0)).toEqual(new Int32Array(0))
    expect(choice(key(0), 0, 0)).toEqual(new Int32Array(0))
    expect(choice(key(0), [], 0, { p: [], replace: false })).toEqual([])
  })

  it('choice without replacement of all values is a permutation', () => {
    expect(choice(key(9), 50, 50, { replace: false })).toEqual(permutation(key(9), 50))
    const weighted = choice(key(9), 50, 50, { replace: false, p: new Float64Array(50).fill(0.02) })
    expect(Array.from(weighted).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })

  it('choice takes the first index whose summed weight reaches total (1 - u), equality included', () => {
    // 2^14 weights of 2^9: every sum is exact, and 1 draw in 2^9 hits a sum.
    const drawn = bits(key(11), 20_000)
    const targets = Array.from(drawn, (word) => (2 ** 23 - (word >>> 9)) / 2 ** 9)
    expect(targets.filter(Number.isInteger).length).toBeGreaterThan(10)
    expect(
      Array.from(choice(key(11), 2 ** 14, 20_000, { p: new Float32Array(2 ** 14).fill(2 ** 9) })),
    ).toEqual(targets.map((target) => Math.ceil(target) - 1))
  })

  it('choice never draws a weight of 0, nor one that float32 flushes', () => {
    const p = [0, 1, 0, 1e-40, 1, 0]
    expect(new Set(choice(key(1), 6, 5000, { p }))).toEqual(new Set([1, 4]))
    expect(new Set(choice(key(1), 6, 2, { p, replace: false }))).toEqual(new Set([1, 4]))
  })

  it.each([
    [3, -1, {}, 'choice: n is not an integer in 0..2^32-1 [-1]'],
    [0, 1, {}, 'choice: no values to draw from [0]'],
    [1.5, 1, {}, 'choice: not an array or an integer in 0..2^31-1 [1.5]'],
    [3, 4, { replace: false }, 'choice: more draws without replacement than values [4 of 3]'],
    [3, 3, { replace: false, p: [1, 0, 1] }, 'choice: more draws without replacement than values [3 of 2]'],
    [3, 1, { p: [1, 1] }, "choice: p is not of the values' length [2, 3]"],
    [3, 1, { p: [1, -1, 1] }, 'choice: a weight is negative or not finite [p[1] = -1]'],
    [3, 1, { p: [1, 1, NaN] }, 'choice: a weight is negative or not finite [p[2] = NaN]'],
    [3, 1, { p: [1e39, 1, 1] }, 'choice: a weight is negative or not finite [p[0] = 1e+39]'],
    [3, 1, { p: [0, 0, 0] }, "choice: the weights' sum is no positive float32 [0]"],
    [2, 1, { p: [3e38, 3e38] }, "choice: the weights' sum is no positive float32 [Infinity]"],
  ] as const)('choice(key, %j, %j, %j) throws', (values, n, options, message) => {
    expect(() => choice(key(0), values, n, options)).toThrow(new RangeError(message))
  })
})

describe(`choice, statistics (seed ${seed})`, () => {
  it('choice(key, 3, 1e5, { p }) draws in proportion to the weights, 6 sigma', () => {
    const drawn = choice(key(seed), 3, 100_000, { p: [1, 2, 5] })
    for (const [i, p] of [1 / 8, 2 / 8, 5 / 8].entries()) {
      expect(countSigmas(drawn.filter((v) => v === i).length, 100_000, p), `value ${i}`).toBeLessThan(6)
    }
  })

  it('choice without replacement draws the first value in proportion to the weights, 6 sigma', () => {
    const keys = split(key(seed), 20_000)
    const count = keys.filter((k) => choice(k, 3, 2, { p: [1, 2, 5], replace: false })[0] === 2).length
    expect(countSigmas(count, keys.length, 5 / 8)).toBeLessThan(6)
  })
})
