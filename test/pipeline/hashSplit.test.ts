import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { hashSplit } from 'tpu-toolkit/pipeline'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const digestOf = (name: string): bigint => BigInt(`0x${createHash('md5').update(name, 'utf8').digest('hex')}`)
const anyName = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 50, maxLength: 140 }))

describe(`hashSplit (seed ${seed})`, () => {
  it("'exact' is the MD5 of Node's crypto, its first 64 bits below valRatio 2^64", () => {
    fc.assert(
      fc.property(anyName, fc.double({ min: 0, max: 1, noNaN: true }), (name, valRatio) => {
        // Exactly: a float64 is an integer of 53 bits times a power of two.
        const scaled = BigInt(Math.ceil((valRatio * 2 ** 1000) / 2 ** 936))
        expect(hashSplit(name, { valRatio })).toBe(digestOf(name) >> 64n < scaled ? 'val' : 'train')
      }),
      { seed, numRuns: 1000 },
    )
  })

  it("'md5-mod-1000' is the whole digest modulo 1000 below int(1000 valRatio)", () => {
    fc.assert(
      fc.property(anyName, fc.double({ min: 0, max: 1, noNaN: true }), (name, valRatio) => {
        const isVal = Number(digestOf(name) % 1000n) < Math.trunc(valRatio * 1000)
        expect(hashSplit(name, { valRatio, method: 'md5-mod-1000' })).toBe(isVal ? 'val' : 'train')
      }),
      { seed, numRuns: 1000 },
    )
  })

  it('MD5 is right at every length of a block', () => {
    for (let length = 0; length < 200; length++) {
      const name = 'x'.repeat(length)
      const expected = Number(digestOf(name) % 1000n)
      expect(hashSplit(name, { valRatio: expected / 1000 + 0.0015, method: 'md5-mod-1000' })).toBe('val')
      expect(
        hashSplit(name, { valRatio: Math.max(0, expected / 1000 - 0.0005), method: 'md5-mod-1000' }),
      ).toBe('train')
    }
  })

  it('0.0009 of 60,000 names go to validation by the exact threshold and none modulo 1000', () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `record-${i}`)
    const share = (method: 'exact' | 'md5-mod-1000') =>
      names.filter((name) => hashSplit(name, { valRatio: 0.0009, method }) === 'val').length
    // 54 expected, within 6 sqrt(n p (1 - p)) = 44.
    expect(Math.abs(share('exact') - 54)).toBeLessThanOrEqual(44)
    expect(share('md5-mod-1000')).toBe(0)
  })

  it('0 takes none, 1 all, and a larger ratio only adds', () => {
    fc.assert(
      fc.property(
        anyName,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, a, b) => {
          expect(hashSplit(name, { valRatio: 0 })).toBe('train')
          expect(hashSplit(name, { valRatio: 1 })).toBe('val')
          if (hashSplit(name, { valRatio: Math.min(a, b) }) === 'val') {
            expect(hashSplit(name, { valRatio: Math.max(a, b) })).toBe('val')
          }
        },
      ),
      { seed, numRuns: 200 },
    )
  })

  it('refuses bad ratios, names and methods', () => {
    for (const valRatio of [-0.1, 1.1, Number.NaN]) {
      expect(() => hashSplit('a', { valRatio })).toThrow(
        new RangeError(`hashSplit: valRatio is not a number from 0 to 1 [${valRatio}]`),
      )
    }
    expect(() => hashSplit('a', {} as never)).toThrow(
      new RangeError('hashSplit: option valRatio is missing [no options]'),
    )
    expect(() => (hashSplit as (name: string) => unknown)('a')).toThrow(
      new RangeError('hashSplit: option valRatio is missing [no options]'),
    )
    expect(() => hashSplit(1 as never, { valRatio: 0 })).toThrow(
      new TypeError('hashSplit: the name is not a string [1]'),
    )
    expect(() => hashSplit('a', { valRatio: 0, method: 'md5' as never })).toThrow(
      new RangeError('hashSplit: unknown method, there are exact, md5-mod-1000 [md5]'),
    )
  })
})
