import {
  decode,
  decodeTable,
  defineFormat,
  encode,
  format,
  formatNames,
  nextDown,
  nextUp,
  orderIndex,
  ulp,
  ulpDistance,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'

describe.each(formatNames)('%s', (name) => {
  const record = format(name)
  const table = decodeTable(name)

  it('nextUp walks every value from lowest to max and nextDown back, and orderIndex counts the steps', () => {
    const values = Array.from(new Set(Array.from(table).filter(Number.isFinite))).sort((a, b) => a - b)
    for (let i = 0; i + 1 < values.length; i++) {
      const [low, high] = [values[i]!, values[i + 1]!]
      const middle = low + (high - low) / 2
      if (nextUp(low, name) !== high || nextDown(high, name) !== low || ulpDistance(low, high, name) !== 1) {
        expect([low, nextUp(low, name), nextDown(high, name)]).toEqual([low, high, low])
      }
      if (nextUp(middle, name) !== high || nextDown(middle, name) !== low) {
        expect([middle, nextUp(middle, name), nextDown(middle, name)]).toEqual([middle, high, low])
      }
      // The spacing above a magnitude is its ulp; below a power of two it is half of it.
      if (low >= 0 && ulp(low, name) !== high - low) expect([low, ulp(low, name)]).toEqual([low, high - low])
      if (ulp(-low, name) !== ulp(low, name)) expect(ulp(-low, name)).toBe(ulp(low, name))
    }
    expect(ulpDistance(values[0]!, values.at(-1)!, name)).toBe(values.length - 1)
  })

  it('orderIndex is monotone over the codes of numbers', () => {
    const codes = Array.from(table.keys()).filter((code) => !Number.isNaN(table[code]))
    codes.sort((a, b) => orderIndex(a, name) - orderIndex(b, name))
    for (let i = 0; i + 1 < codes.length; i++) {
      const [low, high] = [decode(codes[i]!, name), decode(codes[i + 1]!, name)]
      if (low > high) expect([codes[i], low, high]).toEqual('ordered')
    }
  })

  it('nextUp(max) is infinity, or max where there is none; NaN stays NaN', () => {
    expect(nextUp(record.max, name)).toBe(record.infinity ? Infinity : record.max)
    expect(nextDown(record.lowest, name)).toBe(record.infinity ? -Infinity : record.lowest)
    expect([nextUp(1e300, name), nextDown(1e300, name)]).toEqual([
      record.infinity ? Infinity : record.max,
      record.max,
    ])
    expect(nextUp(-Infinity, name)).toBe(record.lowest)
    expect([nextUp(Number.NaN, name), nextDown(Number.NaN, name)]).toEqual([Number.NaN, Number.NaN])
  })
})

describe('ulp', () => {
  it('ulp(x, bfloat16) at 1, 256, the subnormals and the ends', () => {
    expect([1, 0.99, 256, 1e300, 0, 2 ** -126, 1e-300].map((x) => ulp(x, 'bfloat16'))).toEqual([
      2 ** -7,
      2 ** -8,
      2,
      2 ** 120,
      2 ** -133,
      2 ** -133,
      2 ** -133,
    ])
    expect([ulp(Infinity, 'bfloat16'), ulp(Number.NaN, 'bfloat16')]).toEqual([Number.NaN, Number.NaN])
  })
})

describe('ulp without subnormals', () => {
  it('ulp(smallest) is the spacing above it, and below it the smallest value itself', () => {
    const facts = {
      name: 'flush',
      exponentBits: 4,
      mantissaBits: 3,
      bias: 7,
      nan: 'none',
      infinity: false,
    } as const
    const record = defineFormat({ ...facts, subnormals: false, zero: false, signed: false })
    expect([record.minNormal, ulp(record.minNormal, record)]).toEqual([2 ** -7, 2 ** -10])
    expect(ulp(record.minNormal / 2, record)).toBe(2 ** -7)
  })
})

describe('nextUp and nextDown around zero', () => {
  it('come out of the negative side at -0 where there is one', () => {
    expect(Object.is(nextUp(-(2 ** -133), 'bfloat16'), -0)).toBe(true)
    expect(Object.is(nextUp(-(2 ** -10), 'float8_e4m3fnuz'), 0)).toBe(true)
    expect(Object.is(nextDown(2 ** -133, 'bfloat16'), 0)).toBe(true)
    expect([nextUp(-0, 'bfloat16'), nextDown(0, 'bfloat16')]).toEqual([2 ** -133, -(2 ** -133)])
  })
})

describe('ulpDistance', () => {
  it('ulpDistance counts both zeros as one place, and infinities and NaN as infinitely far', () => {
    expect(ulpDistance(-0, 0, 'bfloat16')).toBe(0)
    expect(ulpDistance(-(2 ** -133), 2 ** -133, 'bfloat16')).toBe(2)
    expect(ulpDistance(1, 1.001, 'bfloat16')).toBe(0)
    expect(ulpDistance(Number.NaN, Number.NaN, 'bfloat16')).toBe(0)
    expect(ulpDistance(Number.NaN, 1, 'bfloat16')).toBe(Infinity)
    expect(ulpDistance(Infinity, Infinity, 'bfloat16')).toBe(0)
    expect(ulpDistance(Infinity, format('bfloat16').max, 'bfloat16')).toBe(Infinity)
  })
  it('orderIndex(NaN code) is NaN and infinities lie one past max', () => {
    expect(orderIndex(0x7fc0, 'bfloat16')).toBeNaN()
    expect(orderIndex(encode(-Infinity, 'bfloat16'), 'bfloat16')).toBe(-0x7f80)
    expect(orderIndex(0x8000, 'bfloat16')).toBe(0)
  })
})
