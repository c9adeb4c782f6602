import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { sigmas } from './statistics.js'

// The contract allows 4 ulp; the same operations in the same order give 0.
describe('normal', () => {
  it.each(draws)('normal(key(%i), %i) equals jax.random.normal to the bit', (s, n, draw) => {
    expect(hex(normal(key(s), n))).toEqual(draw['normal_f32'])
  })

  it.each(callsOf('normal'))('normal: %s equals jax.random.normal to the bit', (_, call) => {
    expect(digest(normal(key(call.seed), call.length))).toEqual(answer(call))
  })

  it.each(callsOf('normalNarrow'))('normal: %s equals jax.random.normal to the bit', (_, call) => {
    const [shape, options] = call.args as [number[], { dtype: 'bfloat16' | 'float16' }]
    const { data } = normal(key(call.seed), shape, options)
    expect(digest(data)).toEqual(answer(call))
  })

  it('normal(key, 4, { dtype }) says that numbers are drawn in float32', () => {
    expect(() => normal(key(0), 4, { dtype: 'bfloat16' } as object)).toThrow(
      new RangeError('normal: a number of elements is drawn in float32, ask for a shape [bfloat16]'),
    )
    expect(() => normal(key(0), [4], { dtype: 'float64' } as object)).toThrow(
      'normal: unknown dtype, did you mean float32 [float64]',
    )
  })

  it('normal(key, 0) is empty; out is filled and returned; a bad n throws', () => {
    expect(normal(key(0), 0)).toEqual(new Float32Array(0))
    const out = new Float32Array(2)
    expect(normal(key(0), 2, { out })).toBe(out)
    expect(out).toEqual(normal(key(0), 2))
    expect(() => normal(key(0), 1.5)).toThrow(
      new RangeError('normal: n is not an integer in 0..2^32-1 [1.5]'),
    )
  })
})

describe(`normal, statistics (seed ${seed})`, () => {
  it('normal(key, 1e5) has moments 0, 1, 0, 3 and stays within 5.42, 6 sigma', () => {
    const x = normal(key(seed), 100_000)
    const power = (p: number): Float64Array => Float64Array.from(x, (v) => v ** p)
    // The variance of x^p is E x^2p - (E x^p)^2: 1, 2, 15, 96.
    expect(sigmas(x, 0, 1)).toBeLessThan(6)
    expect(sigmas(power(2), 1, Math.sqrt(2))).toBeLessThan(6)
    expect(sigmas(power(3), 0, Math.sqrt(15))).toBeLessThan(6)
    expect(sigmas(power(4), 3, Math.sqrt(96))).toBeLessThan(6)
    expect(x.every((v) => Math.abs(v) <= 5.42)).toBe(true)
  })
})
