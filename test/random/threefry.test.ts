import fc from 'fast-check'
import { bits, foldIn, key, threefry2x32 } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe('threefry2x32', () => {
  // The three vectors that Random123 publishes for threefry2x32 with 20 rounds (kat_vectors).
  it.each([
    [
      [0x00000000, 0x00000000],
      [0x00000000, 0x00000000],
      [0x6b200159, 0x99ba4efe],
    ],
    [
      [0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x1cb996fc, 0xbb002be7],
    ],
    [
      [0x13198a2e, 0x03707344],
      [0x243f6a88, 0x85a308d3],
      [0xc4923a9c, 0x483df7a0],
    ],
  ] as const)('threefry2x32(%j, %j) is the published vector', (words, counter, cipher) => {
    expect(threefry2x32(words, counter)).toEqual(cipher)
  })
})

describe(`threefry2x32 and its unrolled twin (seed ${seed})`, () => {
  it('bits(key, n) is the xor of the cipher of each counter', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.nat(2 ** 32 - 1), (s, data) => {
        const k = foldIn(key(s), data)
        const expected = Array.from({ length: 9 }, (_, i) => {
          const [a, b] = threefry2x32(k.data, [0, i])
          return (a ^ b) >>> 0
        })
        expect(Array.from(bits(k, 9))).toEqual(expected)
      }),
      { seed, numRuns: 200 },
    )
  })
})
