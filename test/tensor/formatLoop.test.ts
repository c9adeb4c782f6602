import { decode, encode, type FormatName, format, formatNames } from 'tpu-toolkit/formats'
import { add, atan2, div, fromBits, maximum, minimum, mul, pow, sub } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { anyCodes, firstDifference, lengths } from '../bf16/drawnCodes.js'
import { Columns } from '../support/columns.js'
import { casesOfThisRun } from '../support/long.js'
import { seed } from '../support/seed.js'

// The reference of every table and kernel: decode, compute in float64, encode once.

type Case = readonly [string, typeof add, (a: number, b: number) => number]
const basic: readonly Case[] = [
  ['add', add, (a, b) => a + b],
  ['sub', sub, (a, b) => a - b],
  ['mul', mul, (a, b) => a * b],
  ['div', div, (a, b) => a / b],
  ['minimum', minimum, Math.min],
  ['maximum', maximum, Math.max],
]

function result(name: FormatName, f: (a: number, b: number) => number, a: number, b: number): number {
  return encode(f(decode(a, name), decode(b, name)), name)
}

const narrow = formatNames.filter((name) => format(name).bits <= 8)
const few: readonly FormatName[] = ['float8_e4m3', 'float8_e4m3fnuz', 'float8_e8m0fnu', 'float4_e2m1fn']

describe.each(casesOfThisRun(narrow, (name) => few.includes(name)))('arithmetic, %s', (dtype) => {
  const count = 2 ** format(dtype).bits
  const codes = Uint8Array.from({ length: count }, (_, code) => code)
  const column = fromBits(codes, { dtype, shape: [count, 1] })
  const row = fromBits(codes, { dtype, shape: [1, count] })
  const pairs = (side: (i: number) => number) =>
    fromBits(
      Uint8Array.from({ length: count ** 2 }, (_, i) => side(i)),
      { dtype },
    )
  const lefts = pairs((i) => Math.floor(i / count))
  const rights = pairs((i) => i % count)
  const values = Array.from(codes, (code) => decode(code, dtype))
  const expectedOf = (f: (a: number, b: number) => number): Uint8Array =>
    Uint8Array.from(lefts.data, (a, i) => encode(f(values[a]!, values[rights.data[i]!]!), dtype))

  it.each([...basic, ['atan2', atan2, Math.atan2] as const])(
    '%s of all pairs of codes equals decoding, computing and encoding',
    (_, operation, f) => {
      const expected = expectedOf(f)
      // The first rows go code by code, the others through the table; an operand stays, or both advance.
      expect(firstDifference(operation(column, row).data, expected)).toBeUndefined()
      expect(firstDifference(operation(column, row).data, expected)).toBeUndefined()
      expect(firstDifference(operation(lefts, rights).data, expected)).toBeUndefined()
      const swapped = operation(row, column).data
      expect(
        firstDifference(
          swapped,
          expected.map((_, i) => expected[(i % count) * count + Math.floor(i / count)]!),
        ),
      ).toBeUndefined()
      // out may be an operand.
      for (const own of [lefts, rights]) {
        const copy = fromBits(own.data, { dtype })
        const [a, b] = own === lefts ? [copy, rights] : [lefts, copy]
        expect(firstDifference(operation(a, b, { out: copy }).data, expected)).toBeUndefined()
      }
    },
  )

  it.each([1, 15, 16, 17, 4095, 4096, 4097, 8193])('mul handles length %i', (length) => {
    const a = fromBits(
      anyCodes(seed, length).map((code) => code % count),
      { dtype },
    )
    const b = fromBits(
      anyCodes(seed + 1, length).map((code) => code % count),
      { dtype },
    )
    const expected = a.data.map((code, i) => result(dtype, (x, y) => x * y, code, b.data[i]!))
    for (let times = 0; times < 3; times++) expect(firstDifference(mul(a, b).data, expected)).toBeUndefined()
  })

  it('pow of all pairs rounds the float64 power once', () => {
    const power = (a: number, b: number) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b)
    const expected = expectedOf(power)
    for (let times = 0; times < 2; times++) {
      expect(firstDifference(pow(column, row).data, expected)).toBeUndefined()
    }
  })
})

describe(`arithmetic, float16 (seed ${seed})`, () => {
  const dtype = 'float16'
  const special = [
    0, 1, 2, 0x3ff, 0x400, 0x401, 0x3555, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00, 0x7c01,
  ]
  const signed = special.flatMap((code) => [code, code | 0x8000])
  const draw = (first: number, length: number) => fromBits(anyCodes(first, length), { dtype })

  it.each(basic)('%s equals decoding, computing and encoding', (_, operation, f) => {
    // Drawn pairs, and pairs of few bits, whose sums, products and quotients are ties.
    const few = (first: number) =>
      fromBits(
        anyCodes(first, 1 << 16).map((code) => code & 0xfc1f),
        { dtype },
      )
    const near = draw(seed, 1 << 16)
    const beside = fromBits(
      near.data.map((code, i) => (code + (i % 7) - 3) & 0xffff),
      { dtype },
    )
    for (const [a, b] of [
      [draw(seed, 1 << 16), draw(seed + 1, 1 << 16)],
      [few(seed), few(seed + 2)],
      [near, beside],
    ] as const) {
      const expected = a.data.map((code, i) => result(dtype, f, code, b.data[i]!))
      expect(firstDifference(operation(a, b).data, expected)).toBeUndefined()
    }
  })

  it.each(basic)('%s of special codes equals it, along runs long and short', (_, operation, f) => {
    const row = fromBits(signed, { dtype, shape: [1, signed.length] })
    const column = fromBits(signed, { dtype, shape: [signed.length, 1] })
    const expected = signed.flatMap((a) => signed.map((b) => result(dtype, f, a, b)))
    expect(firstDifference(operation(column, row).data, expected)).toBeUndefined()
    const short = fromBits(signed.slice(0, 5), { dtype, shape: [1, 5] })
    const shortKey = signed.flatMap((a) => signed.slice(0, 5).map((b) => result(dtype, f, a, b)))
    expect(firstDifference(operation(column, short).data, shortKey)).toBeUndefined()
  })

  it.each([
    ['add', add],
    ['mul', mul],
  ] as const)("%s equals TestFloat's keys", (name, operation) => {
    const keys = new Columns(`formats/testfloat_f16_${name}`)
    const actual = operation(fromBits(keys.u16('a'), { dtype }), fromBits(keys.u16('b'), { dtype }))
    const byClass = (codes: Uint16Array) => codes.map((code) => ((code & 0x7fff) > 0x7c00 ? 0x7e00 : code))
    expect(firstDifference(actual.data, byClass(keys.u16('result')))).toBeUndefined()
  })

  it.each(lengths)('add handles length %i, and out may be an operand', (length) => {
    const [a, b] = [draw(seed, length), draw(seed + 1, length)]
    const expected = a.data.map((code, i) => result(dtype, (x, y) => x + y, code, b.data[i]!))
    expect(firstDifference(add(a, b, { out: a }).data, expected)).toBeUndefined()
  })
})
