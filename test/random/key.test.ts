import * as random from 'tpu-toolkit/random'
import { foldIn, key, normal, split, uniform } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { cases, seedsBeyond32Bits } from './answers.js'

const words = (keys: readonly { readonly data: readonly number[] }[]): string[] =>
  keys.flatMap((k) => k.data.map((word) => word.toString(16).padStart(8, '0')))

describe('key', () => {
  it.each(cases.map((c) => [c.seed, c] as const))(
    'key(%i), its split and foldIn equal jax.random',
    (seed, c) => {
      const k = key(seed)
      expect(words([k])).toEqual(c.key)
      expect(words(split(k))).toEqual(c.split2)
      expect(words(split(k, 5))).toEqual(c.split5)
      expect(words(split(k, 1))).toEqual(c.split2.slice(0, 2))
      for (const [data, answer] of Object.entries(c.fold_in)) {
        expect(words([foldIn(k, Number(data))])).toEqual(answer)
      }
    },
  )

  it.each(seedsBeyond32Bits)(
    'key($seed) equals jax.random.key with 64-bit types off',
    ({ seed, key: answer }) => {
      expect(words([key(BigInt(seed))])).toEqual(answer)
      if (Number.isSafeInteger(Number(seed))) expect(words([key(Number(seed))])).toEqual(answer)
    },
  )

  it('key gives a frozen value that the draws leave alone', () => {
    const k = key(7)
    expect(Object.isFrozen(k) && Object.isFrozen(k.data)).toBe(true)
    const first = normal(k, 5)
    expect(normal(k, 5)).toEqual(first)
    expect(normal({ data: [0, 7] }, 5)).toEqual(first)
    expect(k).toEqual(key(7))
  })

  it.each([1.5, NaN, Infinity, 2 ** 53, 2n ** 63n, -(2n ** 63n) - 1n])('key(%s) throws', (seed) => {
    expect(() => key(seed)).toThrow(
      new RangeError(`key: seed is not a safe or 64-bit integer [${String(seed)}]`),
    )
  })
})

describe('split', () => {
  it('split(key, 0) is empty and split(key, n) starts with split(key, n - 1)', () => {
    expect(split(key(3), 0)).toEqual([])
    expect(split(key(3), 9).slice(0, 8)).toEqual(split(key(3), 8))
  })
  it.each([-1, 1.5, NaN, 2 ** 32])('split(key, %s) throws', (n) => {
    expect(() => split(key(0), n)).toThrow(new RangeError(`split: n is not an integer in 0..2^32-1 [${n}]`))
  })
})

describe('foldIn', () => {
  it.each([-1, 0.5, NaN, 2 ** 32])('foldIn(key, %s) throws', (data) => {
    expect(() => foldIn(key(0), data)).toThrow(
      new RangeError(`foldIn: data is not an integer in 0..2^32-1 [${data}]`),
    )
  })
})

describe('a key argument that is none', () => {
  it.each([42, undefined, null, {}, { data: [1] }, { data: [1, -1] }, { data: [1, 0.5] }])(
    '%j throws',
    (wrong) => {
      const message = /^uniform: not a key, make one with key\(seed\) \[.*\]$/
      expect(() => uniform(wrong as never, 3)).toThrow(TypeError)
      expect(() => uniform(wrong as never, 3)).toThrow(message)
    },
  )

  const none = 42 as never
  it.each([
    ['split', () => split(none)],
    ['foldIn', () => foldIn(none, 1)],
    ['bits', () => random.bits(none, 1)],
    ['uniform', () => uniform(none, 1)],
    ['normal', () => normal(none, 1)],
    ['truncatedNormal', () => random.truncatedNormal(none, 1)],
    ['bernoulli', () => random.bernoulli(none, 1)],
    ['categorical', () => random.categorical(none, [0], 1)],
    ['randint', () => random.randint(none, 1, { maxval: 2 })],
    ['permutation', () => random.permutation(none, 1)],
    ['choice', () => random.choice(none, 1, 1)],
    ['exponential', () => random.exponential(none, 1)],
    ['gumbel', () => random.gumbel(none, 1)],
  ])('%s(42, ...) throws in its own name', (op, call) => {
    expect(call).toThrow(new TypeError(`${op}: not a key, make one with key(seed) [42]`))
  })
})
