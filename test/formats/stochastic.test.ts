import fc from 'fast-check'
import { decodeTable, encode, encodeArray, encoder, type FloatFormat } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { shapes } from './shapes.js'

/** The finite gaps of a format: a magnitude code, its value, the next one's; the last gap ends where infinity begins. */
function gaps(format: FloatFormat): { code: number; low: number; high: number }[] {
  const table = decodeTable(format)
  const beyond = format.max + 2 ** (format.maxExponent - format.mantissaBits)
  return Array.from({ length: format.maxCode + 1 }, (_, code) => ({
    code,
    low: table[code]!,
    high: code === format.maxCode ? beyond : table[code + 1]!,
  }))
}

/** The gaps of a narrow format; of a wide one those at zero, at both ends of binades, at max, and one in 61, or 1,021. */
function someGaps(format: FloatFormat): { code: number; low: number; high: number }[] {
  const binade = 2 ** format.mantissaBits
  const special = (code: number): boolean =>
    code < 3 || code > format.maxCode - 3 || (code + 1) % binade < 2 || code % (isLong ? 61 : 1021) === 0
  return gaps(format).filter(({ code }) => format.bits <= 8 || special(code))
}

/** The code past a gap's upper end: the next one, or what overflow gives. */
function upperCode(code: number, format: FloatFormat): number {
  return code < format.maxCode ? code + 1 : encode(Infinity, format)
}

/** An encoder whose next random word is `source.word`. */
function wordEncoder(format: FloatFormat, randomBits?: number) {
  const source = { word: 0 }
  const options = { rounding: 'stochastic' as const, random: () => source.word }
  return { source, to: encoder(format, randomBits === undefined ? options : { ...options, randomBits }) }
}

const signsOf = (format: FloatFormat): readonly number[] => (format.signed ? [1, -1] : [1])
const titled = shapes.map((record) => [record.name, record] as const)

describe.each(titled)('stochastic rounding, %s', (_, record) => {
  const withSign = (code: number, sign: number): number => {
    if (sign > 0) return code
    if (code === 0) return record.negativeZero ? record.signMask : 0
    return code === record.canonicalNaN && record.nan === 'negative-zero' ? code : code + record.signMask
  }

  const bits = isLong ? 6 : 4

  it(`encode goes up for exactly j of 2^${bits} words at j of 2^${bits} parts of a gap: every gap, every j, every word`, () => {
    const parts = 2 ** bits
    const { source, to } = wordEncoder(record, bits)
    for (const sign of signsOf(record)) {
      for (const { code, low, high } of someGaps(record)) {
        const [stay, up] = [withSign(code, sign), withSign(upperCode(code, record), sign)]
        for (let j = 0; j < parts; j++) {
          if (j === 0 && low === 0) continue
          const x = sign * (low + (j / parts) * (high - low))
          let ups = 0
          for (let word = 0; word < parts; word++) {
            // The bits below those used are noise and change nothing.
            source.word = (word * 2 ** (32 - bits) + ((word * 0x9e3779b1) & 0x3ffffff)) >>> 0
            const result = to(x)
            // Where infinity's code is the largest finite one (neither Inf nor NaN), both outcomes are one.
            if (result === up && up !== stay) ups++
            else if (result !== stay) expect([code, j, word, result]).toEqual('a neighbour')
          }
          const expected = up === stay ? 0 : j
          if (ups !== expected) expect([code, j, ups]).toEqual([code, j, expected])
        }
      }
    }
  })

  it('encode never moves an exact value, and cuts a fraction of more bits than randomBits', () => {
    const { source, to } = wordEncoder(record, 6)
    for (const { code, low, high } of gaps(record)) {
      for (const word of [0, 0xffffffff]) {
        source.word = word
        if (low > 0 && to(low) !== code) expect([code, word, to(low)]).toEqual([code, word, code])
      }
      const x = low + (high - low) * (5.5 / 64)
      source.word = 4 * 2 ** 26
      const below = to(x)
      source.word = 5 * 2 ** 26
      if (below !== upperCode(code, record) || to(x) !== code) expect([code, below, to(x)]).toEqual('5 of 64')
    }
  })

  it(`encode goes up for exactly the words under f 2^32 by default, f the discarded fraction (seed ${seed})`, () => {
    const { source, to } = wordEncoder(record)
    const all = someGaps(record)
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.integer({ min: 1, max: 2 ** 32 - 1 }), (gap, threshold) => {
        const { code, low, high } = all[gap]!
        const x = low + (threshold / 2 ** 32) * (high - low)
        const at = (word: number): number => {
          source.word = word
          return to(x)
        }
        const up = upperCode(code, record)
        expect([at(0), at(threshold - 1), at(threshold), at(2 ** 32 - 1)]).toEqual([up, up, code, code])
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('encode with saturate ends at the largest finite value, whatever the word', () => {
    for (const word of [0, 0xffffffff]) {
      const options = { rounding: 'stochastic', saturate: true, random: () => word } as const
      for (const sign of signsOf(record)) {
        for (const x of [record.max * (1 + 2 ** -30), record.max * 3, Infinity]) {
          expect(encode(sign * x, record, options)).toBe(withSign(record.maxCode, sign))
        }
      }
    }
  })

  it('encode of a number at or past the end of the last gap overflows for every word', () => {
    const { high } = gaps(record).at(-1)!
    for (const word of [0, 0xffffffff]) {
      const { source, to } = wordEncoder(record, 8)
      source.word = word
      expect(to(high)).toBe(encode(Infinity, record))
      expect(to(2 * high)).toBe(encode(Infinity, record))
    }
  })
})

describe('stochastic rounding from float32', () => {
  it('encodeArray uses the same bits as encode, one word per value', () => {
    const values = Float32Array.of(1.001, -3.3, 1e-40, 3.39e38, 0, Number.NaN)
    for (const randomBits of [1, 8, 16, 32]) {
      let state = 0
      const random = (): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return state
      }
      const options = { rounding: 'stochastic', random, randomBits } as const
      const codes = encodeArray(values, 'bfloat16', options)
      const drawn = state
      state = 0
      expect(Array.from(values, (x) => encode(x, 'bfloat16', options))).toEqual(Array.from(codes))
      expect(state).toBe(drawn)
    }
  })

  it('encode(x, { randomBits: 16 }) goes up under the discarded 16 bits of a float32 and not at them, for all 65,536 of them, in bfloat16', () => {
    // In the subnormals, below a power of two, and up to overflow.
    const float = new Float32Array(1)
    const bits = new Uint32Array(float.buffer)
    for (const code of [0x0000, 0x3f7f, 0x7f7f]) {
      let word = 0
      const to = encoder('bfloat16', { rounding: 'stochastic', random: () => word, randomBits: 16 })
      for (let fraction = 1; fraction < 65536; fraction++) {
        bits[0] = code * 65536 + fraction
        const x = float[0]!
        word = (fraction - 1) * 65536 + 0xffff
        const under = to(x)
        word = fraction * 65536
        if (under !== code + 1 || to(x) !== code) expect([code, fraction, under, to(x)]).toEqual('exact')
      }
    }
  })

  it.each([0, 33, 1.5, Number.NaN])('encode(x, { randomBits: %s }) is refused', (randomBits) => {
    const options = { rounding: 'stochastic', random: () => 0, randomBits } as const
    expect(() => encode(1, 'bfloat16', options)).toThrow(
      new RangeError(`encode: randomBits outside 1..32 [${randomBits}]`),
    )
  })
})
