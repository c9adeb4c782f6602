import { categorical, gumbel, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, cases, digest } from './answers.js'
import { countSigmas } from './statistics.js'

const logits = Float32Array.of(0.1, 0.2, 0.3, 0.4).map(Math.log)

describe('categorical', () => {
  it.each(cases.map((c) => [c.seed, c] as const))(
    'categorical(key(%i), logits, 64) equals jax.random',
    (s, c) => {
      expect(Array.from(categorical(key(s), logits, 64))).toEqual(c.categorical_1234_n64)
    },
  )

  it.each(callsOf('categorical'))('categorical: %s equals jax.random.categorical', (_, call) => {
    expect(digest(categorical(key(call.seed), call.args[0] as number[], call.length))).toEqual(answer(call))
  })

  it('categorical is the argmax of gumbel rows plus logits, over its blocks too', () => {
    const draws = gumbel(key(6), 4 * 3000)
    const expected = Array.from({ length: 3000 }, (_, row) => {
      const scores = Array.from(logits, (logit, k) => Math.fround(logit + draws[4 * row + k]!))
      return scores.indexOf(Math.max(...scores))
    })
    expect(Array.from(categorical(key(6), logits, 3000))).toEqual(expected)
  })

  it('categorical(key, logits, 0) is empty; one logit is always drawn; -Infinity never, +Infinity always', () => {
    expect(categorical(key(0), logits, 0)).toEqual(new Int32Array(0))
    expect(categorical(key(0), [-7], 3)).toEqual(Int32Array.of(0, 0, 0))
    expect(new Set(categorical(key(0), [-Infinity, 0, -Infinity, 0], 999))).toEqual(new Set([1, 3]))
    expect(new Set(categorical(key(0), [0, Infinity, Infinity], 9))).toEqual(new Set([1]))
  })

  it.each([[[]], [[NaN, 0]], [[-Infinity, -Infinity]]])('categorical(key, %j, n) throws', (wrong) => {
    expect(() => categorical(key(0), wrong, 1)).toThrow(
      new RangeError(`categorical: logits have a NaN or no value above -Infinity [${wrong}]`),
    )
  })

  it('categorical throws on a bad n, on too many draws and without a key', () => {
    expect(() => categorical(key(0), logits, -1)).toThrow(RangeError)
    expect(() => categorical(key(0), [...logits, ...logits, ...logits, ...logits], 2 ** 28)).toThrow(
      new RangeError('categorical: n draws of m logits are 2^32 or more [268435456 x 16]'),
    )
    expect(() => categorical(3 as never, logits, 0)).toThrow(TypeError)
  })
})

describe(`categorical, statistics (seed ${seed})`, () => {
  it('categorical(key, log p, 1e5) draws k with probability p[k], 6 sigma', () => {
    const drawn = categorical(key(seed), logits, 100_000)
    for (const [k, p] of [0.1, 0.2, 0.3, 0.4].entries()) {
      expect(countSigmas(drawn.filter((v) => v === k).length, 100_000, p), `category ${k}`).toBeLessThan(6)
    }
  })
})
