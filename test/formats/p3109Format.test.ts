import { decode, decodeTable, encode, encodeArray, p3109Format } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'

// Codes and values of the working group's tables (github.com/P3109/Public, Value Tables/HexStrings).
const tables = [
  [
    'binary8p1se',
    8,
    1,
    {},
    { 1: 2 ** -63, 64: 1, 126: 2 ** 62, 127: Infinity, 129: -(2 ** -63), 255: -Infinity },
  ],
  ['binary8p4se', 8, 4, {}, { 1: 2 ** -10, 8: 2 ** -7, 64: 1, 126: 224, 127: Infinity, 254: -224 }],
  ['binary8p4uf', 8, 4, { signed: false, infinity: false }, { 1: 2 ** -18, 8: 2 ** -15, 128: 1, 254: 57344 }],
  [
    'binary8p8ue',
    8,
    8,
    { signed: false },
    { 1: 2 ** -7, 127: 127 / 128, 128: 1, 253: 1 + 125 / 128, 254: Infinity },
  ],
  [
    'binary4p2sf',
    4,
    2,
    { infinity: false },
    {
      0: 0,
      1: 0.25,
      2: 0.5,
      3: 0.75,
      4: 1,
      5: 1.5,
      6: 2,
      7: 3,
      9: -0.25,
      10: -0.5,
      11: -0.75,
      12: -1,
      13: -1.5,
      14: -2,
      15: -3,
    },
  ],
] as const

describe('p3109Format', () => {
  it.each(tables)('p3109Format gives the codes of %s', (name, bits, precision, options, codes) => {
    const record = p3109Format(bits, precision, options)
    expect(record.name).toBe(name)
    for (const [code, value] of Object.entries(codes)) {
      expect([code, decode(Number(code), record)]).toEqual([code, value])
    }
  })

  it('every format from 3 to 15 bits that fits has one NaN, one zero, and 1 at its middle code', () => {
    let built = 0
    for (let bits = 3; bits <= 15; bits++) {
      for (const signed of [true, false]) {
        for (const infinity of [true, false]) {
          for (let precision = 1; precision <= bits - (signed ? 1 : 0); precision++) {
            const exponents = bits - (signed ? 1 : 0) - precision + 1
            // Exponents wider than float32's are refused.
            if (exponents > 8) {
              expect(() => p3109Format(bits, precision, { signed, infinity })).toThrow(
                /^p3109Format: values outside float32's, p3109Type of/,
              )
              continue
            }
            const record = p3109Format(bits, precision, { signed, infinity })
            const table = decodeTable(record)
            built++
            expect([
              table.filter((value) => Number.isNaN(value)).length,
              table.filter((value) => value === 0).length,
              table.filter((value) => Math.abs(value) === Infinity).length,
              encode(1, record),
            ]).toEqual([1, 1, infinity ? (signed ? 2 : 1) : 0, 2 ** (bits - (signed ? 2 : 1))])
          }
        }
      }
    }
    expect(built).toBeGreaterThan(250)
  })

  it('encode to p3109Format(bits, 1) takes ties to the even code, as the draft does, and e8m0 takes them up', () => {
    const record = p3109Format(8, 1)
    // 1 has the code 64, 2 the code 65.
    expect([1.5, 3, 2 ** -64].map((value) => encode(value, record))).toEqual([64, 66, 0])
    expect([0.75, 1.5, 3].map((value) => encode(value, 'float8_e8m0fnu'))).toEqual([127, 128, 129])
    const long = Float32Array.from({ length: 4096 }, (_, i) => 1.5 * 2 ** ((i % 100) - 50))
    expect(Array.from(encodeArray(long, record))).toEqual(Array.from(long, (value) => encode(value, record)))
  })

  it.each<[number, number, string]>([
    [2, 1, 'p3109Format: bits outside 3..16 [2]'],
    [8, 8, 'p3109Format: precision outside 1..7 of 8 bits [8]'],
    [8, 0, 'p3109Format: precision outside 1..7 of 8 bits [0]'],
    [8.5, 4, 'p3109Format: bits outside 3..16 [8.5]'],
  ])('p3109Format(%f, %f) says what is wrong', (bits, precision, message) => {
    expect(() => p3109Format(bits, precision)).toThrow(new RangeError(message))
  })
})
