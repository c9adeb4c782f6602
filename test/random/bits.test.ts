import { bits, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { answer, callsOf, digest, draws, hex } from './answers.js'
import { countSigmas } from './statistics.js'

describe('bits', () => {
  it.each(draws)('bits(key(%i), %i) equals jax.random.bits in every width', (s, n, draw) => {
    expect(hex(bits(key(s), n))).toEqual(draw['bits32'])
    expect(hex(bits(key(s), n, { width: 16 }))).toEqual(draw['bits16'])
    expect(hex(bits(key(s), n, { width: 8 }))).toEqual(draw['bits8'])
  })

  it.each(callsOf('bits'))('bits: %s equals jax.random.bits', (_, call) => {
    expect(digest(bits(key(call.seed), call.length))).toEqual(answer(call))
  })

  it('bits(key, 0) is empty', () => {
    expect(bits(key(0), 0)).toEqual(new Uint32Array(0))
    expect(bits(key(0), 0, { width: 8 })).toEqual(new Uint8Array(0))
  })

  it('bits(key, n, { out }) fills and returns out', () => {
    const out = new Uint32Array(6).subarray(1, 4)
    expect(bits(key(0), 3, { out })).toBe(out)
    expect(out).toEqual(bits(key(0), 3))
    expect(Array.from(new Uint32Array(out.buffer))).toEqual([0, ...out, 0, 0])
    const bytes = new Uint8Array(3)
    expect(bits(key(0), 3, { width: 8, out: bytes })).toBe(bytes)
  })

  it.each([-1, 0.5, NaN, 2 ** 32])('bits(key, %s) throws', (n) => {
    expect(() => bits(key(0), n)).toThrow(new RangeError(`bits: n is not an integer in 0..2^32-1 [${n}]`))
  })

  it('bits throws on an unknown width and on an out that does not fit', () => {
    expect(() => bits(key(0), 3, { width: 64 } as never)).toThrow(
      new RangeError('bits: width is not 8, 16 or 32 [64]'),
    )
    expect(() => bits(key(0), 3, { out: new Uint32Array(2) })).toThrow(
      new RangeError('bits: out is not of length n [2, 3]'),
    )
    expect(() => bits(key(0), 3, { width: 16, out: new Uint32Array(3) } as never)).toThrow(
      new TypeError('bits: out is not a Uint16Array [0,0,0]'),
    )
  })
})

describe(`bits, statistics (seed ${seed})`, () => {
  it('bits has each of the 32 bits set in half of 2^17 draws, within 6 sigma', () => {
    const words = bits(key(seed), 2 ** 17)
    for (let bit = 0; bit < 32; bit++) {
      const count = words.reduce((sum, word) => sum + ((word >>> bit) & 1), 0)
      expect(countSigmas(count, words.length, 0.5), `bit ${bit}`).toBeLessThan(6)
    }
  })
})
