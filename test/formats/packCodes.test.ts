import fc from 'fast-check'
import { packCodes, unpackCodes } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

/** Codes as one number, the first in its lowest bits. */
const stream = (codes: Uint8Array, bits: number): bigint =>
  codes.reduceRight((all, code) => (all << BigInt(bits)) | BigInt(code), 0n)

describe.each([4, 6, 8])(`packCodes(codes, %i) (seed ${seed})`, (bits) => {
  it('is the stream of bits, lowest first, and unpackCodes gives the codes back', () => {
    const codes = fc
      .array(fc.integer({ min: 0, max: 2 ** bits - 1 }), { maxLength: 40 })
      .map((list) => Uint8Array.from(list.slice(0, list.length - (list.length % 4))))
    fc.assert(
      fc.property(codes, (given) => {
        const packed = packCodes(given, bits)
        expect(packed.length).toBe((given.length * bits) / 8)
        expect(stream(packed, 8)).toBe(stream(given, bits))
        expect(unpackCodes(packed, bits, given.length)).toEqual(given)
      }),
      { seed, numRuns: 200 },
    )
  })

  it('writes into out', () => {
    const out = new Uint8Array((8 * bits) / 8)
    const codes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
    expect(packCodes(codes, bits, out)).toBe(out)
    const back = new Uint8Array(8)
    expect(unpackCodes(out, bits, 8, back)).toBe(back)
    expect(back).toEqual(codes)
  })
})

describe('bad input', () => {
  it.each<[string, () => unknown, string]>([
    [
      'an odd length',
      () => packCodes(new Uint8Array(3), 4),
      'packCodes: codes of 4 bits fill no whole number of bytes [3]',
    ],
    [
      'a length no multiple of 4',
      () => packCodes(new Uint8Array(6), 6),
      'packCodes: codes of 6 bits fill no whole number of bytes [6]',
    ],
    [
      'a code of more bits',
      () => packCodes(Uint8Array.of(0, 16), 4),
      'packCodes: code outside 0..15 of 4 bits [16]',
    ],
    [
      'a width of 5',
      () => packCodes(new Uint8Array(8), 5),
      'packCodes: width is none of 4, 6 and 8 bits [5]',
    ],
    [
      'another out',
      () => packCodes(new Uint8Array(8), 4, new Uint8Array(3)),
      'packCodes: out has another length than the result [3, not 4]',
    ],
    [
      'an odd n',
      () => unpackCodes(new Uint8Array(2), 4, 3),
      'unpackCodes: 3 codes of 4 bits are 1.5 bytes [2]',
    ],
    [
      'a byte too many',
      () => unpackCodes(new Uint8Array(4), 6, 4),
      'unpackCodes: 4 codes of 6 bits are 3 bytes [4]',
    ],
    [
      'a negative n',
      () => unpackCodes(new Uint8Array(0), 4, -2),
      'unpackCodes: n is not a whole number, 0 or more [-2]',
    ],
    [
      'a width of 3',
      () => unpackCodes(new Uint8Array(3), 3, 8),
      'unpackCodes: width is none of 4, 6 and 8 bits [3]',
    ],
    [
      'another out',
      () => unpackCodes(new Uint8Array(2), 4, 4, new Uint8Array(2)),
      'unpackCodes: out has another length than the result [2, not 4]',
    ],
  ])('%s is a RangeError', (_, call, message) => expect(call).toThrow(new RangeError(message)))
})
