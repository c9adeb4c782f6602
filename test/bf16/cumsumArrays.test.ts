import { readFileSync } from 'node:fs'
import { add, cumsumArray, cumsumFloat32, fromNumber, sumArray, sumFloat32, toNumber } from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import {
  anyCodes,
  codesBetween,
  firstDifference,
  lengths,
  specialCodes,
  unaligned,
  words,
} from './drawnCodes.js'

const orders = JSON.parse(
  readFileSync(new URL('../golden/reductions/reduce_orders.json', import.meta.url), 'utf8'),
)
const codesOf = (hex: string) =>
  Uint16Array.from(hex.match(/.{4}/g)!, (digits) => Number.parseInt(digits, 16))

/** The definition: from +0, each addition rounded. */
function additions(codes: Uint16Array): Uint16Array {
  let sum = 0
  return codes.map((code) => {
    sum = add(sum, code)
    return sum
  })
}

const stall = 1 << 15
const drawn = isLong ? 1 << 18 : 1 << 16
/** Inputs that run through the fast steps, leave them at every kind of place, or never enter them. */
const families: Readonly<Record<string, Uint16Array>> = {
  'any bit patterns': anyCodes(seed, drawn),
  'any finite codes': codesBetween(seed + 1, drawn, 0, 254),
  'near 1': codesBetween(seed + 2, drawn, 118, 128),
  'positive near 1': codesBetween(seed + 3, drawn, 118, 128).map((code) => code & 0x7fff),
  'subnormals and the least normals': codesBetween(seed + 4, drawn, 0, 2),
  'the largest': codesBetween(seed + 5, drawn, 235, 252),
  'zeros and the least subnormals': Uint16Array.from(
    words(seed + 7, stall),
    (word) => [0, 0x8000, 1, 0x8001][word % 4]!,
  ),
  ones: new Uint16Array(stall).fill(0x3f80),
  'one and minus one': Uint16Array.from({ length: stall }, (_, i) => (i % 2 ? 0xbf80 : 0x3f80)),
  // 256 is a power of two: a step below it has half the grid of a step above.
  'down from 256 and back': Uint16Array.from({ length: stall }, (_, i) =>
    i === 0 ? 0x4380 : [0xbf80, 0x3f80, 0xbf00, 0x3f40, 0x3f80, 0xbf80][i % 6]!,
  ),
  // Ties at every step: half the grid of [128, 256) up, a quarter down.
  'ties above 128': Uint16Array.from(words(seed + 6, stall), (word, i) =>
    i === 0 ? 0x4300 : [0x3f00, 0xbf00, 0x3e80, 0xbe80, 0x3f80][word % 5]!,
  ),
  'a growing sum': codesOf(orders.inputs_bits.lognormal_wide),
  'powers of two': Uint16Array.from({ length: 2032 }, (_, i) => ((i % 254) + 1) << 7),
  'a NaN late': Uint16Array.from({ length: 1000 }, (_, i) => (i === 777 ? 0xffff : 0x3c00)),
  'Inf and then -Inf': Uint16Array.from({ length: 100 }, (_, i) =>
    i === 30 ? 0x7f80 : i === 60 ? 0xff80 : 0x3f80,
  ),
  overflow: new Uint16Array(64).fill(0x7f00),
  'special codes': Uint16Array.from(specialCodes),
}

describe.each(['simd', 'plain'] as const)(`cumsumArray and sumArray, %s (seed ${seed})`, (engine) => {
  it.each(['uniform', 'normal', 'lognormal_wide'])('equal the NumPy keys for %s', (name) => {
    const codes = codesOf(orders.inputs_bits[name])
    const keys = codesOf(orders.cumsum_bits_n4096[name].numpy_mldtypes_sequential)
    expect(firstDifference(cumsumArray(codes, undefined, engine), keys)).toBeUndefined()
    expect(sumArray(codes, engine)).toBe(keys.at(-1))
    const wide = codesOf(orders.cumsum_bits_n4096[name].f32_accumulate_cast)
    expect(firstDifference(cumsumFloat32(codes, undefined, engine), wide)).toBeUndefined()
  })

  it('sums equal the exact keys of dot_bfloat16', () => {
    const keys = new Columns('formats/dot_bfloat16')
    const cases = keys.facts['cases'] as { kind: string; n: number; offset: number }[]
    const bits = new Uint32Array(1)
    const value = new Float32Array(bits.buffer)
    cases.forEach(({ kind, n, offset }, i) => {
      const codes = keys.u16('a').subarray(offset, offset + n)
      expect([kind, n, sumArray(codes, engine)]).toEqual([kind, n, keys.u16('sum_seq_bf16')[i]])
      bits[0] = keys.u32('sum_seq_f32')[i]!
      expect([kind, n, sumFloat32(codes, engine)]).toEqual([kind, n, value[0]])
      if (n > 0) {
        const last = cumsumFloat32(codes, undefined, engine).at(-1)
        expect([kind, n, last]).toEqual([kind, n, keys.u16('sum_seq_f32_bf16')[i]])
      }
    })
  })

  it.each(Object.entries(families))('add one after the other: %s', (_, codes) => {
    // Other beginnings, so that every element takes every place of a step of eight.
    for (let skip = 0; skip < 9; skip++) {
      const part = codes.subarray(skip)
      expect(firstDifference(cumsumArray(part, undefined, engine), additions(part))).toBeUndefined()
    }
    expect(sumArray(codes, engine)).toBe(additions(codes).at(-1))
  })

  it.each(Object.entries(families))('cumsumFloat32 rounds float32 sums: %s', (_, codes) => {
    let sum = 0
    const expected = codes.map((code) => {
      sum = Math.fround(sum + toNumber(code))
      return fromNumber(sum)
    })
    expect(firstDifference(cumsumFloat32(codes, undefined, engine), expected)).toBeUndefined()
    expect(sumFloat32(codes, engine)).toBe(sum)
  })

  it.each(lengths)('handle length %i, unaligned, writing nothing beside out', (length) => {
    const codes = unaligned(codesBetween(seed + 8, length, 110, 128))
    const expected = additions(codes)
    const out = new Uint16Array(length + 2).fill(0xabcd)
    cumsumArray(codes, out.subarray(1, 1 + length), engine)
    expect([out[0], out[length + 1]]).toEqual([0xabcd, 0xabcd])
    expect(firstDifference(out.subarray(1, -1), expected)).toBeUndefined()
    expect(sumArray(codes, engine)).toBe(expected.at(-1) ?? 0)
  })

  it('may write over the operand, or beside its start', () => {
    const codes = codesBetween(seed + 9, 40000, 110, 128)
    const expected = additions(codes)
    const own = codes.slice()
    expect(firstDifference(cumsumArray(own, own, engine), expected)).toBeUndefined()
    const wider = new Uint16Array(40001)
    wider.set(codes)
    const shifted = cumsumArray(wider.subarray(0, 40000), wider.subarray(1), engine)
    expect(firstDifference(shifted, expected)).toBeUndefined()
  })

  it('start from +0, stall at 256, and end in the canonical NaN', () => {
    expect(cumsumArray(Uint16Array.of(0x8000), undefined, engine)).toEqual(Uint16Array.of(0x0000))
    expect([sumArray(new Uint16Array(0), engine), sumFloat32(new Uint16Array(0), engine)]).toEqual([0, 0])
    expect(toNumber(sumArray(families['ones']!, engine))).toBe(256)
    expect(sumArray(Uint16Array.of(0xffff), engine)).toBe(0x7fc0)
    expect(cumsumFloat32(Uint16Array.of(0x7f80, 0xff80), undefined, engine)).toEqual(
      Uint16Array.of(0x7f80, 0x7fc0),
    )
  })

  it('throw on an out of another length', () => {
    expect(() => cumsumArray(new Uint16Array(2), new Uint16Array(3), engine)).toThrow(
      new RangeError('cumsumArray: out has another length than the result [3, not 2]'),
    )
    expect(() => cumsumFloat32(new Uint16Array(2), new Uint16Array(1), engine)).toThrow(
      new RangeError('cumsumFloat32: out has another length than the result [1, not 2]'),
    )
  })
})
