import { bits, key, permutation, split } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws } from './answers.js'
import { countSigmas } from './statistics.js'

describe('permutation', () => {
  it.each(draws.filter(([, , draw]) => draw['permutation']))(
    'permutation(key(%i), %i) equals jax.random.permutation',
    (s, n, draw) => {
      expect(Array.from(permutation(key(s), n))).toEqual(draw['permutation'])
    },
  )

  it.each(callsOf('permutation'))('permutation: %s equals jax.random.permutation', (_, call) => {
    expect(digest(permutation(key(call.seed), call.length))).toEqual(answer(call))
  })

  it('permutation of an array moves its values as it moves indices, and keeps its type', () => {
    const order = Array.from(permutation(key(2), 9))
    const letters = Array.from('abcdefghi')
    expect(permutation(key(2), letters)).toEqual(order.map((i) => letters[i]))
    expect(letters.join('')).toBe('abcdefghi')
    expect(
      permutation(
        key(2),
        Float32Array.from(order.keys(), (i) => i / 2),
      ),
    ).toEqual(Float32Array.from(order, (i) => i / 2))
    expect(permutation(key(2), Uint16Array.of(7, 8, 9))).toBeInstanceOf(Uint16Array)
  })

  it('permutation of 0 and 1 values is the only one', () => {
    expect(permutation(key(0), 0)).toEqual(new Int32Array(0))
    expect(permutation(key(0), [])).toEqual([])
    expect(permutation(key(0), 1)).toEqual(Int32Array.of(0))
    expect(permutation(key(0), ['x'])).toEqual(['x'])
  })

  it('permutation keeps the order of values whose words are equal', () => {
    // The first seed whose words for 1625 values repeat one (a chance of 3e-4 each).
    const n = 1625
    const words = (s: number): Uint32Array => bits(split(key(s))[1]!, n)
    let s = 0
    while (new Set(words(s)).size === n) s++
    const drawn = Array.from(words(s))
    const stable = Array.from(drawn.keys()).sort((i, j) => drawn[i]! - drawn[j]! || i - j)
    expect(Array.from(permutation(key(s), n)), `seed ${s}`).toEqual(stable)
  })

  it.each([-1, 1.5, NaN])('permutation(key, %d) throws', (n) => {
    expect(() => permutation(key(0), n)).toThrow(
      new RangeError(`permutation: not an array or an integer in 0..2^31-1 [${n}]`),
    )
  })

  it('permutation throws without a key, even of nothing', () => {
    expect(() => permutation(0 as never, 0)).toThrow(TypeError)
  })
})

describe(`permutation, statistics (seed ${seed})`, () => {
  it('permutation(key, 4) is each of the 24 orders in a 24th of 2^14 keys, 6 sigma', () => {
    const keys = split(key(seed), 2 ** 14)
    const counts = new Map<string, number>()
    for (const k of keys) {
      const order = permutation(k, 4).join('')
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    expect(counts.size).toBe(24)
    for (const [order, count] of counts) {
      expect(countSigmas(count, keys.length, 1 / 24), order).toBeLessThan(6)
    }
  })
})
