import fc from 'fast-check'
import { decode, format, formatNames, round } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { codeLabel } from '../../lab/sections/number/codeLabel.js'
import { placedIn, placedWide } from '../../lab/sections/number/placed.js'
import { readNumber } from '../../lab/sections/number/readNumber.js'
import { wideFloats, wideNext } from '../../lab/sections/number/wideFloats.js'
import { runCli } from '../support/runCli.js'

const bfloat16 = format('bfloat16')
const [float32, float64] = wideFloats as [(typeof wideFloats)[number], (typeof wideFloats)[number]]

const valueOf = (typed: string, record = bfloat16): number | string => {
  const read = readNumber(typed, record)
  return 'refused' in read ? read.refused : read.value
}

describe('a number that is typed', () => {
  it.each([
    ['0.1', 0.1],
    ['−3e-5', -3e-5],
    ['.5', 0.5],
    ['7.', 7],
    ['1/3', 1 / 3],
    ['-3/8', -0.375],
    ['2**-8', 2 ** -8],
    ['2^-8', 2 ** -8],
    ['-2**-8', -(2 ** -8)],
    ['3 * 2^-9', 3 * 2 ** -9],
    ['1.5 x 2^10', 1536],
    ['1 + 2^-8', 1 + 2 ** -8],
    ['(1 + 2**-7) * 3 - 1/4', (1 + 2 ** -7) * 3 - 0.25],
    ['10^-3', 0.001],
    ['0x1.8p-3', 0.1875],
    ['0x1.999999999999ap-4', 0.1],
    ['0x1p-1074', 5e-324],
    ['0x1.fffffffffffffp1023', Number.MAX_VALUE],
    ['-inf', -Infinity],
    ['Infinity', Infinity],
    ['NaN', Number.NaN],
    ['-0', -0],
    ['1e400', Infinity],
    ['0x3dcd', 0.10009765625],
    ['0b0011110111001101', 0.10009765625],
    ['0 01111011 1001101', 0.10009765625],
    [`0.1${'0'.repeat(200)}`, 0.1],
  ])('%s is read', (typed, value) => {
    expect(valueOf(typed)).toBe(value)
  })

  it.each([
    ['', 'Nothing was typed.'],
    ['abc', '“abc” is no number.'],
    ['0,1', 'Decimals are written with a point, not a comma.'],
    ['1 2', '“2” does not belong to a number.'],
    ['1/0', 'A division by zero has no value.'],
    ['2^0.5', 'The exponent of a power is not whole.'],
    ['3^2', 'Powers are those of 2 and of 10.'],
    ['(1', 'A parenthesis is not closed.'],
    ['1 +', 'The number is not complete.'],
    ['-0x3dcd', 'A code has no sign: its first bit is the sign [-0x3dcd].'],
    ['0x13dcd', 'A code of bfloat16 has 16 bits: the largest is 0xffff [0x13dcd].'],
    ['1e400 - 1e400', 'The difference or product of these has no value.'],
    ['0x1.99999999999999999p0', 'A hexadecimal float has at most 53 bits.'],
  ])('%s is refused with the reason', (typed, why) => {
    expect(valueOf(typed)).toBe(why)
  })

  it('is refused, not thrown, where thousands of parentheses are nested', () => {
    expect(valueOf('('.repeat(100_000))).toBe('The parentheses are nested too deeply.')
  })

  it('is read back from what JavaScript writes of it, and never throws', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (x) => {
        expect(valueOf(Object.is(x, -0) ? '-0' : String(x))).toBe(x)
      }),
    )
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1 }), (a, b) => {
        expect(valueOf(`${a}/${b}`)).toBe(a / b)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[-+*/^().x0-9a-f ]*$/), (text) => {
        expect(typeof valueOf(text)).toMatch(/^(number|string)$/)
      }),
    )
  })

  it('is, as a code, that of the command inspect, for every format', async () => {
    for (const name of formatNames) {
      const record = format(name)
      const code = 2 ** (record.bits - 2) - 1
      const typed = `0x${code.toString(16)}`
      const { out } = await runCli('inspect', typed, '--format', name, '--json')
      const said: { value: number } = JSON.parse(out)
      expect([name, valueOf(typed, record)]).toEqual([name, said.value])
    }
  })
})

describe('the place of a number in a format', () => {
  /** The float64 next to a number, on one side. */
  const beside = (x: number, side: 1 | -1): number => wideNext(x, side, float64)

  it('has the numbers that round to a value, and no other, for every code of the formats of at most 8 bits', () => {
    for (const name of formatNames) {
      const record = format(name)
      if (record.bits > 8) continue
      for (let code = 0; code < 2 ** record.bits; code++) {
        const value = decode(code, record)
        if (!Number.isFinite(value)) continue
        const { low, high, lowRounds, highRounds } = placedIn(value, record)
        for (const [end, rounds, side] of [
          [low, lowRounds, -1],
          [high, highRounds, 1],
        ] as const) {
          // Both zeros are one value here.
          const isValue = (x: number): boolean => round(x, record) === value
          expect([name, code, side, isValue(end)]).toEqual([name, code, side, rounds])
          if (!Number.isFinite(end)) continue
          expect([name, code, side, isValue(beside(end, side === 1 ? -1 : 1))]).toEqual([
            name,
            code,
            side,
            true,
          ])
          expect([name, code, side, isValue(beside(end, side))]).toEqual([name, code, side, false])
        }
      }
    }
  })

  it('is beyond the largest value where it overflows', () => {
    const { value, centre, low, high, lowRounds } = placedIn(300.5, format('float8_e4m3'))
    expect([value, centre, low, high, lowRounds]).toEqual([Infinity, 240, 248, Infinity, true])
  })

  it('is that of Math.fround in float32: ends of intervals round as they say', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { low, high, lowRounds, highRounds, below, above } = placedWide(value, float32)
        expect(Math.fround(low) === value).toBe(lowRounds)
        expect(Math.fround(high) === value).toBe(highRounds)
        expect(Math.fround(beside(low, 1)) === value).toBe(true)
        expect(Math.fround(beside(high, -1)) === value).toBe(true)
        expect(Math.fround(beside(low, -1)) === value).toBe(false)
        expect(Math.fround(beside(high, 1)) === value).toBe(false)
        if (below !== undefined) expect(below).toBeLessThan(value)
        if (above !== undefined) expect(above).toBeGreaterThan(value)
      }),
    )
  })

  it('has nothing between a float64 and its neighbours', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
        const { below = Number.NaN, above = Number.NaN } = placedWide(value, float64)
        expect(below < value && value < above).toBe(true)
        expect([below, value]).toContain(below + (value - below) / 2)
        expect([above, value]).toContain(value + (above - value) / 2)
      }),
    )
  })
})

describe('the labels of the map of codes', () => {
  it('tell all values of a format apart', () => {
    for (const name of formatNames) {
      const record = format(name)
      if (record.bits > 8) continue
      const values = Array.from({ length: 2 ** record.bits }, (_, code) => decode(code, record))
      const finite = values.filter((value) => Number.isFinite(value) && !Object.is(value, -0))
      expect([name, new Set(finite.map((value) => codeLabel(value, String(value)))).size]).toEqual([
        name,
        finite.length,
      ])
    }
  })
})
