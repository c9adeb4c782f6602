import { exponential, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { kolmogorov, sigmas } from './statistics.js'

// The contract allows 4 ulp; the same operations in the same order give 0.
describe('exponential', () => {
  it.each(draws)('exponential(key(%i), %i) equals jax.random.exponential to the bit', (s, n, draw) => {
    expect(hex(exponential(key(s), n))).toEqual(draw['exponential_f32'])
  })

  it.each(callsOf('exponential'))('exponential: %s equals jax.random.exponential to the bit', (_, call) => {
    expect(digest(exponential(key(call.seed), call.length))).toEqual(answer(call))
  })

  it('exponential(key, 0) is empty; out is filled and returned; a bad n throws', () => {
    expect(exponential(key(0), 0)).toEqual(new Float32Array(0))
    const out = new Float32Array(2)
    expect(exponential(key(0), 2, { out })).toBe(out)
    expect(out).toEqual(exponential(key(0), 2))
    expect(() => exponential(key(0), NaN)).toThrow(
      new RangeError('exponential: n is not an integer in 0..2^32-1 [NaN]'),
    )
  })
})

describe(`exponential, statistics (seed ${seed})`, () => {
  it('exponential(key, 1e5) has mean 1 and its distribution, 6 sigma', () => {
    const x = exponential(key(seed), 100_000)
    expect(sigmas(x, 1, 1)).toBeLessThan(6)
    expect(kolmogorov(x, (v) => -Math.expm1(-v))).toBeLessThan(4.3)
    expect(x.every((v) => v >= 0 && v < 15.95)).toBe(true)
  })
})
