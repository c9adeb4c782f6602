import { gumbel, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { kolmogorov, sigmas } from './statistics.js'

// The contract allows 4 ulp; the same operations in the same order give 0.
describe('gumbel', () => {
  it.each(draws)('gumbel(key(%i), %i) equals jax.random.gumbel to the bit', (s, n, draw) => {
    expect(hex(gumbel(key(s), n))).toEqual(draw['gumbel_f32'])
  })

  it.each(callsOf('gumbel'))('gumbel: %s equals jax.random.gumbel to the bit', (_, call) => {
    expect(digest(gumbel(key(call.seed), call.length))).toEqual(answer(call))
  })

  it('gumbel(key, 0) is empty; out is filled and returned; a bad n throws', () => {
    expect(gumbel(key(0), 0)).toEqual(new Float32Array(0))
    const out = new Float32Array(2)
    expect(gumbel(key(0), 2, { out })).toBe(out)
    expect(out).toEqual(gumbel(key(0), 2))
    expect(() => gumbel(key(0), NaN)).toThrow(
      new RangeError('gumbel: n is not an integer in 0..2^32-1 [NaN]'),
    )
  })
})

describe(`gumbel, statistics (seed ${seed})`, () => {
  it('gumbel(key, 1e5) has the mean 0.5772... and its distribution, 6 sigma', () => {
    const x = gumbel(key(seed), 100_000)
    expect(sigmas(x, 0.5772156649015329, Math.PI / Math.sqrt(6))).toBeLessThan(6)
    expect(kolmogorov(x, (v) => Math.exp(-Math.exp(-v)))).toBeLessThan(4.3)
  })
})
