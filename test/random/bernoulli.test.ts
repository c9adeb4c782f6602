import { type BernoulliOptions, bernoulli, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws } from './answers.js'
import { countSigmas } from './statistics.js'

describe('bernoulli', () => {
  it.each(draws)('bernoulli(key(%i), %i) equals jax.random.bernoulli', (s, n, draw) => {
    expect(Array.from(bernoulli(key(s), n, { p: 0.3 }))).toEqual(draw['bernoulli_0.3'])
  })

  it.each(callsOf('bernoulli'))('bernoulli: %s equals jax.random.bernoulli', (_, call) => {
    const options = call.args[1] as BernoulliOptions
    expect(digest(bernoulli(key(call.seed), call.length, options))).toEqual(answer(call))
  })

  it('bernoulli(key, 0) is empty and a bad n throws', () => {
    expect(bernoulli(key(0), 0)).toEqual(new Uint8Array(0))
    expect(() => bernoulli(key(0), -1)).toThrow(
      new RangeError('bernoulli: n is not an integer in 0..2^32-1 [-1]'),
    )
  })

  it.each([-0.1, 1.1, NaN])('bernoulli(key, n, { p: %d }) throws', (p) => {
    expect(() => bernoulli(key(0), 1, { p })).toThrow(new RangeError(`bernoulli: p is not in 0..1 [${p}]`))
  })
})

describe(`bernoulli, statistics (seed ${seed})`, () => {
  it.each([0.5, 0.001, 0.97])('bernoulli(key, 1e5) has n p ones, p = %d, 6 sigma', (p) => {
    const ones = bernoulli(key(seed), 100_000, { p }).reduce((a, b) => a + b, 0)
    expect(countSigmas(ones, 100_000, p)).toBeLessThan(6)
  })
})
