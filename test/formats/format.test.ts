import {
  decode,
  decodeTable,
  defineFormat,
  encode,
  type FormatFacts,
  format,
  formatNames,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'

const p3109: FormatFacts = {
  name: 'binary8p4',
  exponentBits: 4,
  mantissaBits: 3,
  bias: 8,
  nan: 'negative-zero',
  infinity: true,
}

describe('format', () => {
  it('format(name) is frozen and one record per name', () => {
    for (const name of formatNames) {
      expect(Object.isFrozen(format(name))).toBe(true)
      expect(format(name)).toBe(format(name))
      expect(format(format(name))).toBe(format(name))
    }
  })
  it('format(unknown) names the word and the known ones', () => {
    // @ts-expect-error no such name
    expect(() => format('bf16')).toThrow(/^format: unknown name, known are bfloat16 float16 .* \[bf16\]$/)
    // @ts-expect-error no such name
    expect(() => format('toString')).toThrow(TypeError)
  })
})

describe('defineFormat', () => {
  it('defineFormat(facts of a named format) gives the same record', () => {
    for (const name of formatNames) expect(defineFormat(format(name))).toEqual(format(name))
  })

  it('defineFormat(P3109 binary8p4) has one NaN at negative zero and infinities at the top', () => {
    const record = defineFormat(p3109)
    expect([record.max, record.maxCode, record.infinityCode, record.canonicalNaN]).toEqual([
      224, 0x7e, 0x7f, 0x80,
    ])
    expect([decode(0x7f, record), decode(0xff, record), decode(0x80, record)]).toEqual([
      Infinity,
      -Infinity,
      Number.NaN,
    ])
    expect([encode(-0, record), encode(1e9, record), encode(-1e9, record)]).toEqual([0, 0x7f, 0xff])
  })

  it('defineFormat without subnormals counts exponent field 0 as an exponent, zero kept', () => {
    const record = defineFormat({ ...p3109, name: 'flush', nan: 'none', infinity: false, subnormals: false })
    expect([record.minSubnormal, record.minPositive]).toEqual([null, 1.125 * 2 ** -8])
    expect([decode(0, record), decode(1, record), decode(8, record)]).toEqual([0, 1.125 * 2 ** -8, 2 ** -7])
    // Half the smallest value is a tie between zero and code 1: the even one.
    const half = record.minPositive / 2
    expect([encode(half, record), encode(half * (1 + 2 ** -52), record)]).toEqual([0, 1])
  })

  it('defineFormat unsigned: negatives are NaN, -0 is zero', () => {
    const record = defineFormat({ ...p3109, name: 'ue4m3', signed: false, nan: 'top', infinity: false })
    expect([record.bits, record.lowest, record.canonicalNaN]).toEqual([7, 0, 0x7f])
    expect([encode(-1, record), encode(-0, record), encode(1, record)]).toEqual([0x7f, 0, 0x40])
  })

  it('every code of every shape decodes to increasing values and encodes back', () => {
    const shapes: FormatFacts[] = []
    for (const nan of ['ieee', 'top', 'negative-zero', 'none'] as const) {
      for (const infinity of [true, false]) {
        for (const signed of [true, false]) {
          for (const subnormals of [true, false]) {
            for (const [exponentBits, mantissaBits] of [
              [2, 1],
              [3, 0],
              [4, 5],
              [5, 10],
              [1, 3],
            ] as const) {
              for (const bias of [-3, 2, 40]) {
                shapes.push({
                  name: 'shape',
                  exponentBits,
                  mantissaBits,
                  bias,
                  nan,
                  infinity,
                  signed,
                  subnormals,
                })
              }
            }
          }
        }
      }
    }
    let defined = 0
    for (const facts of shapes) {
      let record: ReturnType<typeof defineFormat>
      try {
        record = defineFormat(facts)
      } catch (error) {
        expect(String(error)).toMatch(/^RangeError: defineFormat: .* \[.*\]$/)
        continue
      }
      defined++
      const table = decodeTable(record)
      let previous = -1
      for (let code = 0; code <= record.magnitudeMask; code++) {
        const value = table[code]!
        if (Number.isNaN(value)) continue
        const negative = value === 0 && !record.negativeZero ? 0 : code + record.signMask
        const back = record.signed ? encode(-value, record) : negative
        if (!(value > previous) || encode(value, record) !== code || back !== negative) {
          expect([facts, code, value, encode(value, record), back]).toEqual([
            facts,
            code,
            value,
            code,
            negative,
          ])
        }
        previous = value
      }
    }
    expect(defined).toBeGreaterThan(200)
  })

  it('defineFormat(facts) says of a format what its values show: precision, exponents, the smallest', () => {
    const small: FormatFacts = {
      ...p3109,
      name: 'e3m0',
      exponentBits: 3,
      mantissaBits: 0,
      bias: 3,
      nan: 'none',
    }
    for (const record of [...formatNames.map((name) => format(name)), defineFormat(small)]) {
      const values = Array.from(decodeTable(record)).filter((value) => value >= 1 && value < 2)
      expect(new Set(values).size, record.name).toBe(2 ** (record.precision - 1))
      const { minNormal, minExponent, max, maxExponent } = record
      expect([minNormal / 2 ** minExponent, Math.floor(max / 2 ** maxExponent)]).toEqual([1, 1])
    }
    expect(defineFormat(small).minSubnormal).toBeNull()
    expect(format('float4_e2m1fn').minSubnormal).toBe(0.5)
  })

  it('defineFormat(facts at the ends of what fits) takes them', () => {
    const signed = { ...p3109, bias: 0, nan: 'none', infinity: false } as const
    const least = defineFormat({ ...signed, name: 'e1m0', exponentBits: 1, mantissaBits: 0 })
    expect(Array.from(decodeTable(least))).toEqual([0, 2, -0, -2])
    const wide = { ...signed, name: 'ue8m8', signed: false, exponentBits: 8, mantissaBits: 8, bias: 128 }
    expect(defineFormat(wide).bits).toBe(16)
    expect(defineFormat({ ...p3109, name: 'e2m1', exponentBits: 2, mantissaBits: 1, nan: 'ieee' }).max).toBe(
      0.0234375,
    )
    expect(
      defineFormat({ ...p3109, name: 'low', exponentBits: 8, mantissaBits: 7, bias: 143 }).minPositive,
    ).toBe(2 ** -149)
  })

  it.each<[string, Partial<FormatFacts>, string]>([
    ['ieee', { nan: 'ieee', mantissaBits: 0 }, "defineFormat: nan 'ieee' needs infinity and a mantissa bit"],
    [
      'sign',
      { nan: 'none', zero: false, subnormals: false },
      'defineFormat: subnormals and a sign need zero',
    ],
    [
      'subnormals',
      { nan: 'none', zero: false, signed: false },
      'defineFormat: subnormals and a sign need zero',
    ],
    ['under', { exponentBits: 8, mantissaBits: 7, bias: 144 }, "defineFormat: values outside float32's"],
    ['over', { bias: -130 }, "defineFormat: values outside float32's"],
    ['infinite', { exponentBits: 11, bias: -1000 }, "defineFormat: values outside float32's [max Infinity"],
    ['bias', { bias: -1001 }, 'defineFormat: bias is not an integer from -1000 up [-1001]'],
    [
      'bit',
      { exponentBits: 1, mantissaBits: 0, signed: false, nan: 'none' },
      'defineFormat: width outside 2..16 bits [1]',
    ],
    ['name', { name: 3 as never }, 'defineFormat: name is not a word [3]'],
    ['wide', { exponentBits: 12 }, "defineFormat: values outside float32's"],
    ['bits', { mantissaBits: 12 }, 'defineFormat: width outside 2..16 bits [17]'],
    ['fraction', { mantissaBits: 2.5 }, 'defineFormat: mantissaBits is not an integer from 0 up [2.5]'],
    ['exponent', { exponentBits: 0 }, 'defineFormat: exponentBits is not an integer from 1 up [0]'],
    ['nan', { nan: 'some' as 'none' }, 'defineFormat: nan is none of ieee top negative-zero none [some]'],
    [
      'ieee',
      { nan: 'ieee', infinity: false },
      "defineFormat: nan 'ieee' needs infinity and a mantissa bit [infinity false, mantissaBits 3]",
    ],
    ['home', { signed: false }, 'defineFormat: no negative zero to hold NaN [signed false, zero true]'],
    [
      'zero',
      { nan: 'none', zero: false },
      'defineFormat: subnormals and a sign need zero [subnormals true, signed true]',
    ],
    ['low', { bias: 160 }, "defineFormat: values outside float32's"],
    ['', { name: '' }, 'defineFormat: name is not a word []'],
    ['normal', { exponentBits: 1, nan: 'ieee' }, 'defineFormat: no normal number is left [normal]'],
  ])('defineFormat(%s) says what is wrong', (name, change, message) => {
    const attempt = () => defineFormat({ ...p3109, name, ...change })
    expect(attempt).toThrow(RangeError)
    expect(attempt).toThrow(message)
  })
})
