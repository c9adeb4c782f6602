import { key, type TruncatedNormalOptions, truncatedNormal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { sigmas } from './statistics.js'

// The contract allows 4 ulp; the same operations in the same order give 0.
describe('truncatedNormal', () => {
  it.each(draws)(
    'truncatedNormal(key(%i), %i) equals jax.random.truncated_normal to the bit',
    (s, n, draw) => {
      expect(hex(truncatedNormal(key(s), n, { lower: -2, upper: 2 }))).toEqual(
        draw['truncated_normal_-2_2_f32'],
      )
      expect(truncatedNormal(key(s), n)).toEqual(truncatedNormal(key(s), n, { lower: -2, upper: 2 }))
    },
  )

  it.each(callsOf('truncatedNormal'))('truncatedNormal: %s equals jax to the bit', (_, call) => {
    const options = call.args[1] as TruncatedNormalOptions
    expect(digest(truncatedNormal(key(call.seed), call.length, options))).toEqual(answer(call))
  })

  it.each([
    [0, 0.5],
    [-0.5, 0],
    [1, 1.5],
    [8, 9],
    [-Infinity, -1],
    [1, Infinity],
  ])('truncatedNormal stays inside its open bounds %d, %d', (lower, upper) => {
    const x = truncatedNormal(key(5), 1000, { lower, upper })
    expect(x.every((v) => v > lower && v < upper)).toBe(true)
  })

  it('truncatedNormal(key, 0) is empty; out is filled and returned', () => {
    expect(truncatedNormal(key(0), 0)).toEqual(new Float32Array(0))
    const out = new Float32Array(2)
    expect(truncatedNormal(key(0), 2, { out })).toBe(out)
  })

  it.each([
    [2, -2],
    [1, 1],
    [NaN, 1],
    [0, NaN],
    [1, 1 + 2 ** -40],
  ])('truncatedNormal(key, n, { lower: %d, upper: %d }) throws', (lower, upper) => {
    expect(() => truncatedNormal(key(0), 1, { lower, upper })).toThrow(
      new RangeError(`truncatedNormal: lower is not below upper [${lower}, ${upper}]`),
    )
  })

  it('truncatedNormal throws when no float32 lies between its bounds', () => {
    expect(() => truncatedNormal(key(0), 1, { lower: 1, upper: 1 + 2 ** -23 })).toThrow(
      new RangeError(`truncatedNormal: no float32 between the bounds [1, ${1 + 2 ** -23}]`),
    )
  })
})

describe(`truncatedNormal, statistics (seed ${seed})`, () => {
  it('truncatedNormal(key, 1e5, -1 to 3) has the known mean, 6 sigma', () => {
    const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
    // Phi(3) - Phi(-1), to 12 digits.
    const mass = 0.839994848037
    const mean = (density(-1) - density(3)) / mass
    const deviation = Math.sqrt(1 - (density(-1) + 3 * density(3)) / mass - mean ** 2)
    expect(
      sigmas(truncatedNormal(key(seed), 100_000, { lower: -1, upper: 3 }), mean, deviation),
    ).toBeLessThan(6)
  })
})
