import fc from 'fast-check'
import { bits, key, type UniformOptions, uniform } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { kolmogorov, sigmas } from './statistics.js'

/** k 2^-23 span + low in integers of 2^-172, rounded to float32, nearest even: no floating-point sum anywhere. */
function exactMultiplyAdd(k: number, span: number, low: number): number {
  const integer = (x: number): bigint => BigInt(x * 2 ** 149)
  const exact = BigInt(k) * integer(span) + integer(low) * 2n ** 23n
  const size = exact < 0n ? -exact : exact
  const shift = BigInt(Math.max(size.toString(2).length - 24, 23))
  const half = 1n << (shift - 1n)
  const rest = size & ((1n << shift) - 1n)
  const down = size >> shift
  const rounded = rest > half || (rest === half && down % 2n === 1n) ? down + 1n : down
  return (exact < 0n ? -1 : 1) * Number(rounded) * 2 ** (Number(shift) - 172)
}

const float32Bits = (word: number): number => new Float32Array(Uint32Array.of(word).buffer)[0]!
/** A float32 from a bit pattern: subnormals and both zeros come up; no span of two of them overflows. */
const anyFloat32 = fc
  .nat(2 ** 32 - 1)
  .map(float32Bits)
  .filter((x) => Math.abs(x) < 2 ** 126)
const tiny = fc.double({ min: 1e-45, max: 1e-10, noNaN: true }).map((x) => Math.fround(x))

describe('uniform', () => {
  it.each(draws)('uniform(key(%i), %i) equals jax.random.uniform', (s, n, draw) => {
    expect(hex(uniform(key(s), n))).toEqual(draw['uniform_f32'])
    expect(hex(uniform(key(s), n, { minval: -2, maxval: 5 }))).toEqual(draw['uniform_f32_-2_5'])
  })

  it.each(draws)("jax's bfloat16 uniform(key(%i), %i) is the upper 7 of 8 bits", (s, n, draw) => {
    const values = Float32Array.from(bits(key(s), n, { width: 8 }), (byte) => (byte >>> 1) / 128)
    expect(hex(values).map((word) => word.slice(0, 4))).toEqual(draw['uniform_bf16'])
  })

  it.each(callsOf('uniform'))('uniform: %s equals jax.random.uniform', (_, call) => {
    const options = call.args[1] as UniformOptions
    expect(digest(uniform(key(call.seed), call.length, options))).toEqual(answer(call))
  })

  it('uniform rounds a midpoint by the part of the sum that float64 drops', () => {
    // 3 k is odd and longer than 24 bits in 1 draw of 6: then 3 u is a midpoint and the sign of minval decides.
    const k = bits(key(1), 1000).map((word) => word >>> 9)
    const above = uniform(key(1), 1000, { minval: 1e-30, maxval: 3 })
    const below = uniform(key(1), 1000, { minval: -1e-30, maxval: 3 })
    const midpoints = Array.from(k.keys()).filter(
      (i) => k[i]! % 2 === 1 && k[i]! * 3 >= 2 ** 24 && k[i]! * 3 < 2 ** 25,
    )
    expect(midpoints.length).toBeGreaterThan(100)
    for (const i of midpoints) expect((above[i]! - below[i]!) / 2 ** -22, `element ${i}`).toBe(1)
  })

  it('uniform(key, n, { minval: m, maxval: m }) is m', () => {
    expect(uniform(key(0), 3, { minval: 2, maxval: 2 })).toEqual(Float32Array.of(2, 2, 2))
  })

  it('uniform(key, 0) is empty; out is filled and returned', () => {
    expect(uniform(key(0), 0)).toEqual(new Float32Array(0))
    const out = new Float32Array(4).subarray(1, 3)
    expect(uniform(key(0), 2, { out })).toBe(out)
    expect(out).toEqual(uniform(key(0), 2))
  })

  it.each([
    [1, 0],
    [NaN, 1],
    [0, Infinity],
    [-Infinity, 0],
    [-3e38, 3e38],
    [0, 1e39],
  ])('uniform(key, n, { minval: %s, maxval: %s }) throws', (minval, maxval) => {
    expect(() => uniform(key(0), 1, { minval, maxval })).toThrow(
      new RangeError(`uniform: not a finite range [${minval}, ${maxval}]`),
    )
  })

  it('uniform throws on a bad n and an out that does not fit', () => {
    expect(() => uniform(key(0), -1)).toThrow(
      new RangeError('uniform: n is not an integer in 0..2^32-1 [-1]'),
    )
    expect(() => uniform(key(0), 1, { out: new Float32Array(2) })).toThrow(RangeError)
    expect(() => uniform(key(0), 1, { out: new Float64Array(1) as never })).toThrow(TypeError)
  })
})

describe(`uniform, properties (seed ${seed})`, () => {
  const check = (s: number, x: number, y: number): void => {
    const low = Math.min(x, y)
    const high = Math.max(x, y)
    const span = Math.fround(high - low)
    const expected = Array.from(bits(key(s), 20), (word) =>
      Math.max(low, exactMultiplyAdd(word >>> 9, span, low)),
    )
    // + 0: the sign of a zero is no part of the claim.
    expect(Array.from(uniform(key(s), 20, { minval: low, maxval: high }), (v) => v + 0)).toEqual(
      expected.map((v) => v + 0),
    )
  }

  it('uniform is the exact multiply-add rounded once, any float32 bounds', () => {
    const run = fc.property(fc.nat(2 ** 32 - 1), anyFloat32, anyFloat32, check)
    fc.assert(run, { seed, numRuns: 2000 })
  })

  it('uniform is the exact multiply-add rounded once, one bound tiny beside the other', () => {
    const run = fc.property(
      fc.nat(2 ** 32 - 1),
      tiny,
      fc.boolean(),
      fc.integer({ min: 3, max: 999 }),
      (s, t, up, n) => check(s, up ? t : -t, n),
    )
    fc.assert(run, { seed, numRuns: 2000 })
  })

  it('uniform(key, 1e5) has the mean, variance and distribution of [0, 1), 6 sigma', () => {
    const u = uniform(key(seed), 100_000)
    expect(Math.max(...u.subarray(0, 1000))).toBeLessThan(1)
    expect(sigmas(u, 0.5 - 2 ** -24, Math.sqrt(1 / 12))).toBeLessThan(6)
    expect(
      sigmas(
        Float64Array.from(u, (x) => (x - 0.5) ** 2),
        1 / 12,
        Math.sqrt(1 / 180),
      ),
    ).toBeLessThan(6)
    expect(kolmogorov(u, (x) => x)).toBeLessThan(4.3)
  })
})
