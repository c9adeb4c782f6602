import fc from 'fast-check'
import {
  decode,
  decodeTable,
  type EncodeOptions,
  encode,
  encodeArray,
  encoder,
  type FloatFormat,
  isNaNCode,
  rounder,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { everyMode, type Place, places, shapes } from './shapes.js'

// Exhaustive over the codes of every format and the float64 numbers at, between and right beside them.

/** Whether a magnitude between a code and the next one goes up: from its place alone, without arithmetic. */
function goesUp(
  place: Place,
  code: number,
  negative: boolean,
  options: EncodeOptions,
  format: FloatFormat,
): boolean {
  if (place === 'at') return false
  // Without mantissa bits every significand is the hidden 1: with a zero the code's parity counts, without it is odd.
  const odd = code % 2 === 1 || (format.mantissaBits === 0 && !format.zero)
  switch (options.rounding) {
    case 'nearest-even':
      return place === 'middle' ? odd : place === 'above the middle' || place === 'below the next'
    case 'nearest-away':
      return place === 'middle' || place === 'above the middle' || place === 'below the next'
    case 'up':
      return !negative
    case 'down':
      return negative
    case 'to-odd':
      return code % 2 === 0
    case 'stochastic': {
      const word = options.random?.()
      // 0 is under every fraction of at least 2^-32, and no fraction is over all ones; the middle word is under those
      // past the middle by 2^-32.
      if (word === 0) return place !== 'above'
      return word === 0x80000000 && place === 'below the next'
    }
    default:
      return false
  }
}

/** The code that a number past the largest finite value has, of either sign. */
function overflow(negative: boolean, { rounding, saturate }: EncodeOptions, format: FloatFormat): number {
  const sign = negative ? format.signMask : 0
  const stays =
    rounding === 'toward-zero' ||
    rounding === 'to-odd' ||
    (rounding === 'up' && negative) ||
    (rounding === 'down' && !negative)
  if (saturate || stays) return sign + format.maxCode
  if (format.infinityCode !== null) return sign + format.infinityCode
  if (format.canonicalNaN === null) return sign + format.maxCode
  return format.nan === 'top' ? sign + format.canonicalNaN : format.canonicalNaN
}

/** A magnitude code with a sign; -0 where there is one. */
function signed(code: number, negative: boolean, format: FloatFormat): number {
  return negative && (code > 0 || format.negativeZero) ? code + format.signMask : code
}

interface Bounds {
  readonly down: Float64Array
  readonly up: Float64Array
}

const titled = shapes.map((record) => [record.name, record] as const)
const both = everyMode.flatMap(({ title: _, ...mode }) => [mode, { ...mode, saturate: true }])

describe.each(titled)('%s', (_, record) => {
  // Of many places some, 13 apart so that all kinds are among them, and the first and last.
  const all = places(record)
  const placed =
    isLong || all.length < 20_000
      ? all
      : all.filter((_, i) => i % 13 === 0 || i < 200 || i >= all.length - 200)
  const table = decodeTable(record)

  it('encode, encoder and rounder take every number at, between and beside two codes to the right one, in every mode', () => {
    const signs = record.signed ? [false, true] : [false]
    for (const options of both) {
      const fast = encoder(record, options)
      const rounded = rounder(record, options)
      for (const { code, place, magnitude } of placed) {
        for (const negative of signs) {
          const up = goesUp(place, code, negative, options, record)
          const expected =
            up && code === record.maxCode
              ? overflow(negative, options, record)
              : signed(up ? code + 1 : code, negative, record)
          const value = negative ? -magnitude : magnitude
          if (
            fast(value) !== expected ||
            !Object.is(rounded(value), table[expected]) ||
            (!options.saturate && encode(value, record, options) !== expected)
          ) {
            const got = [fast(value), encode(value, record, options), rounded(value)]
            expect([options, value, place, ...got]).toEqual([
              options,
              value,
              place,
              expected,
              expected,
              table[expected],
            ])
          }
        }
      }
    }
  })

  it('encode takes what the format has no place for as ml_dtypes does: far overflow, infinities, NaN, zeros, negatives', () => {
    const tiny = record.minPositive / 4
    for (const options of both) {
      const rounded = rounder(record, options)
      const code = (value: number): number => {
        const result = encode(value, record, options)
        expect([encoder(record, options)(value), rounded(value)]).toEqual([result, table[result]])
        return result
      }
      const far = [record.max * 3, Number.MAX_VALUE]
      for (const value of far) expect(code(value)).toBe(overflow(false, options, record))
      // Infinity is no overflow: no mode brings it back to a finite value but saturate.
      const infinite = { rounding: 'nearest-even', saturate: options.saturate ?? false } as const
      expect(code(Infinity)).toBe(overflow(false, infinite, record))
      const nan = record.canonicalNaN ?? record.signMask
      expect(code(Number.NaN)).toBe(nan)
      const zero = record.zero ? 0 : nan
      expect([code(0), code(-0)]).toEqual([zero, record.zero ? signed(0, true, record) : nan])
      const up = options.rounding === 'up' || options.rounding === 'to-odd' || options.random?.() === 0
      expect(code(tiny)).toBe(up && record.zero ? 1 : 0)
      if (record.signed) {
        for (const value of far) expect(code(-value)).toBe(overflow(true, options, record))
        expect(code(-Infinity)).toBe(overflow(true, infinite, record))
        const down = options.rounding === 'down' || options.rounding === 'to-odd' || options.random?.() === 0
        expect(code(-tiny)).toBe(signed(down ? 1 : 0, true, record))
      } else {
        expect([-1, -tiny, -Infinity, -Number.MAX_VALUE].map(code)).toEqual([nan, nan, nan, nan])
      }
    }
  })

  it('encode(decode(code)) is the code, in every mode; but a NaN is the canonical one, and saturate takes infinity to max', () => {
    for (const options of both) {
      const fast = encoder(record, options)
      for (let code = 0; code < table.length; code++) {
        const magnitude = code & record.magnitudeMask
        const clipped = options.saturate && magnitude === record.infinityCode
        const expected = isNaNCode(code, record)
          ? record.canonicalNaN
          : clipped
            ? (code & record.signMask) + record.maxCode
            : code
        if (fast(decode(code, record)) !== expected) {
          expect([options.rounding, options.saturate, code, fast(decode(code, record))]).toEqual([
            options.rounding,
            options.saturate,
            code,
            expected,
          ])
        }
      }
    }
  })

  it('round is idempotent, monotone, between down and up, and odd, in every mode; NaN only past the ends or where the format lacks the value', () => {
    const past = [record.max * 3, Number.MAX_VALUE, Infinity]
    const positive = [...placed.map(({ magnitude }) => magnitude), ...past]
    // Ascending, and symmetric: the mirror of place i is place -1 - i.
    const values = Float64Array.from([...positive.map((x) => -x).reverse(), ...positive])
    const roundedBy = (options: EncodeOptions): Float64Array => values.map(rounder(record, options))
    const bounds = [false, true].map((saturate) => ({
      down: roundedBy({ rounding: 'down', saturate }),
      up: roundedBy({ rounding: 'up', saturate }),
    })) as [Bounds, Bounds]
    for (const options of both) {
      const { down, up } = bounds[options.saturate ? 1 : 0]
      const rounded = roundedBy(options)
      const mirrors = { up: down, down: up }[options.rounding as 'up'] ?? rounded
      const again = rounder(record, options)
      const wrong = (i: number, claim: string): void =>
        expect([options, values[i], rounded[i], down[i], up[i], mirrors.at(-1 - i)]).toEqual(claim)
      let previous = -Infinity
      for (let i = 0; i < values.length; i++) {
        const x = values[i]!
        const y = rounded[i]!
        if (Number.isNaN(y)) {
          const overflows = Math.abs(x) > record.max && !record.infinity && !options.saturate
          if (!overflows && (x >= 0 || record.signed) && (x !== 0 || record.zero)) wrong(i, 'a number')
          if (record.nan === 'none') wrong(i, 'no NaN in this format')
        } else {
          if (!Object.is(y, previous) && !Object.is(again(y), y)) wrong(i, 'idempotent')
          if (y < previous) wrong(i, 'monotone')
          if (down[i]! > y || up[i]! < y) wrong(i, 'between down and up')
          previous = y
        }
        if (!record.signed) continue
        const mirrored = -mirrors[values.length - 1 - i]!
        if (record.negativeZero ? !Object.is(mirrored, y) : mirrored !== y && !Number.isNaN(y)) {
          wrong(i, 'odd')
        }
        if (Number.isNaN(mirrored) !== Number.isNaN(y)) wrong(i, 'odd in NaN')
      }
    }
  })

  it(`encodeArray(float32 values) equals encodeArray(the same as float64), NaN signs too (seed ${seed})`, () => {
    const bits32 = new Uint32Array(table.buffer)
    // Around the format's own values, and any bits.
    const near = fc
      .tuple(fc.nat(bits32.length - 1), fc.integer({ min: -3, max: 3 }), fc.nat(23))
      .map(([code, step, shift]) => (bits32[code]! + step * 2 ** shift) >>> 0)
    const words = fc.array(fc.oneof(near, fc.integer({ min: 0, max: 0xffffffff })), { maxLength: 96 })
    fc.assert(
      fc.property(words, fc.constantFrom(...both), fc.boolean(), (patterns, options, long) => {
        // Long arrays take other ways than short ones.
        const bits = Uint32Array.from(long ? Array(40).fill(patterns).flat() : patterns)
        const single = new Float32Array(bits.buffer)
        const double = Float64Array.from(single)
        const signs = new Uint32Array(double.buffer)
        // A copy as a number may change a NaN's sign; put it back.
        for (let i = 0; i < bits.length; i++) {
          if (Number.isNaN(single[i])) signs[2 * i + 1] = (bits[i]! & 0x80000000) | 0x7ff80000
        }
        expect(encodeArray(single, record, options)).toEqual(encodeArray(double, record, options))
      }),
      { seed, numRuns: 300 },
    )
  })
})
