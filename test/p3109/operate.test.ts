import fc from 'fast-check'
import {
  classify,
  compareValues,
  decodeP3109,
  nextGreaterThan,
  nextLessThan,
  operate,
  type P3109Class,
  type P3109Operation,
  type P3109Type,
  type P3109Value,
  p3109Operations,
  p3109Roundings,
  p3109Saturations,
  p3109Type,
  p3109Types,
  totalOrder,
} from 'tpu-toolkit/p3109'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

type Facts = readonly [bits: number, precision: number, signed: number, infinity: number]
const typeOf = ([bits, precision, signed, infinity]: Facts): P3109Type =>
  p3109Type(bits, precision, { signed: signed === 1, infinity: infinity === 1 })

const key = new Columns('p3109/operations')
const operandTypes = key.facts['operands'] as Readonly<Record<string, readonly (readonly Facts[])[]>>
const resultTypes = (key.facts['results'] as readonly Facts[]).map(typeOf)
const names = (key.facts.columns as readonly { name: P3109Operation }[]).map(({ name }) => name)
const count = (name: P3109Operation): number =>
  ['FMA', 'FAA', 'Clamp'].includes(name) ? 3 : names.indexOf(name) < names.indexOf('CopySign') ? 1 : 2

/** Every combination of codes of the types, the last one changing first. */
function* combinations(
  types: readonly P3109Type[],
  from: readonly P3109Value[] = [],
): Generator<readonly P3109Value[]> {
  const type = types[from.length]
  if (type === undefined) yield from
  else for (let code = 0; code < 2 ** type.bits; code++) yield* combinations(types, [...from, [code, type]])
}

// Where an operation's results begin in the key's cycle of types and modes.
const begins = new Map<string, number>()
let place = 0
for (const name of names) {
  begins.set(name, place)
  place += key.u16(name).length
}

describe(`operate (seed ${seed})`, () => {
  it('p3109Operations are those of the key', () => {
    expect(new Set(p3109Operations)).toEqual(new Set(names))
    expect(p3109Operations.length).toBe(52)
  })

  it.each(names)('operate(%s) gives the codes of the key: every code, pair or triple', (name) => {
    const codes = key.u16(name)
    const wrong: unknown[] = []
    let i = 0
    for (const facts of operandTypes[count(name)]!) {
      for (const operands of combinations(facts.map(typeOf))) {
        const at = begins.get(name)! + i
        const rounding = p3109Roundings[Math.floor(at / 2) % 9]!
        const saturation = p3109Saturations[Math.floor(at / 3) % 3]!
        const randomBits = 1 + (at % 9)
        const random = rounding.startsWith('Stochastic')
          ? { randomBits, random: (at * 7) % 2 ** randomBits }
          : {}
        const got = operate(name, operands, resultTypes[at % 6]!, { rounding, saturation, ...random })
        if (got !== codes[i]) {
          wrong.push([
            operands.map(([code, type]) => `${code} ${type.name}`),
            resultTypes[at % 6]!.name,
            rounding,
            saturation,
            got,
            codes[i],
          ])
        }
        i++
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(i).toBe(codes.length)
  })

  const types = p3109Types().filter(({ bits }) => bits <= 6)
  const value = fc
    .constantFrom(...types)
    .chain((type) => fc.nat(2 ** type.bits - 1).map((code): P3109Value => [code, type]))

  it('operate commutes where the draft does, and FMA and FAA are their parts with one rounding', () => {
    fc.assert(
      fc.property(value, value, fc.constantFrom(...types), (x, y, result) => {
        for (const name of [
          'Add',
          'Multiply',
          'Hypot',
          'Minimum',
          'MaximumMagnitude',
          'MinimumFinite',
        ] as const) {
          expect(operate(name, [x, y], result)).toBe(operate(name, [y, x], result))
        }
        const zero: P3109Value = [0, result]
        expect(operate('FMA', [x, y, zero], result)).toBe(operate('Multiply', [x, y], result))
        expect(operate('FAA', [x, zero, y], result)).toBe(operate('Add', [x, y], result))
      }),
      { seed, numRuns: 300 },
    )
  })

  it('operate of the widest types: far beyond float64, small beside 1, and exact', () => {
    const wide = p3109Type(16, 4)
    const unsigned = p3109Type(16, 1, { signed: false })
    expect(operate('Recip', [[1, unsigned]], unsigned)).toBe(unsigned.positiveInfinity)
    expect(operate('Recip', [[3, unsigned]], unsigned)).toBe(unsigned.maxFinite)
    expect(operate('Exp', [[wide.maxFinite, wide]], wide)).toBe(wide.positiveInfinity)
    expect(operate('Exp', [[wide.maxFinite, wide]], wide, { rounding: 'TowardZero' })).toBe(wide.maxFinite)
    expect(operate('Exp', [[wide.minFinite, wide]], wide, { rounding: 'TowardPositive' })).toBe(1)
    // Of a number of 2^-2048: a little beside it, or beside 1.
    const tiny: P3109Value = [9, wide]
    for (const [name, down, up] of [
      ['Sin', 8, 9],
      ['Tan', 9, 10],
      ['ArcTan', 8, 9],
      ['Sinh', 9, 10],
      ['Tanh', 8, 9],
      ['ArcSinh', 8, 9],
      ['ArcTanh', 9, 10],
      ['LogOnePlus', 8, 9],
      ['ExpMinusOne', 9, 10],
    ] as const) {
      const codes = (['TowardNegative', 'TowardPositive'] as const).map((rounding) =>
        operate(name, [tiny], wide, { rounding }),
      )
      expect([name, ...codes]).toEqual([name, down, up])
    }
    const oneCode = 0x4000
    expect(operate('Cos', [tiny], wide, { rounding: 'TowardZero' })).toBe(oneCode - 1)
    expect(operate('Exp', [tiny], wide, { rounding: 'TowardPositive' })).toBe(oneCode + 1)
    expect(operate('Log', [[wide.maxFinite, wide]], wide)).toBe(
      operate('ArcCosh', [[wide.maxFinite, wide]], wide),
    )
    expect(() => operate('Sin', [[wide.maxFinite, wide]], wide)).toThrow(
      /^operate: sin of a magnitude from 2\^129 on is not computed \[2\^2047\]$/,
    )
    expect(operate('SinPi', [[wide.maxFinite, wide]], wide)).toBe(0)
  })

  it.each<[string, () => unknown, ErrorConstructor, string]>([
    ['a name', () => operate('Plus' as never, [], p3109Type(8, 4)), RangeError, 'operate: unknown operation'],
    [
      'too few',
      () => operate('Add', [[0, p3109Type(8, 4)]], p3109Type(8, 4)),
      RangeError,
      'operate: Add takes 2 operands [1]',
    ],
    [
      'no pair',
      () => operate('Abs', [3] as never, p3109Type(8, 4)),
      TypeError,
      'operate: an operand is no pair of a code and its type [3]',
    ],
    [
      'a code',
      () => operate('Abs', [[256, p3109Type(8, 4)]], p3109Type(8, 4)),
      RangeError,
      'operate: code is not a whole number from 0 to 255 [256]',
    ],
    [
      'a mode',
      () => operate('Abs', [[0, p3109Type(8, 4)]], p3109Type(8, 4), { rounding: 'up' as never }),
      RangeError,
      'operate: unknown rounding',
    ],
  ])('operate says what is wrong: %s', (_, attempt, kind, message) => {
    expect(attempt).toThrow(kind)
    expect(attempt).toThrow(message)
  })
})

describe('classify, compareValues, totalOrder, nextGreaterThan, nextLessThan', () => {
  const narrow = p3109Types().filter(({ bits }) => bits <= 5)

  it('classify(code) is what the value says', () => {
    for (const type of narrow) {
      const least = decodeP3109(type.minNormal, type)
      for (let code = 0; code < 2 ** type.bits; code++) {
        const x = decodeP3109(code, type)
        const half = x < 0 ? 'Negative' : 'Positive'
        const kind = Math.abs(x) === Infinity ? 'Infinity' : Math.abs(x) < least ? 'Subnormal' : 'Normal'
        const expected = Number.isNaN(x) ? 'ClsNaN' : x === 0 ? 'ClsZero' : `Cls${half}${kind}`
        expect(classify(code, type)).toBe(expected as P3109Class)
      }
    }
  })

  it('compareValues and totalOrder order as JavaScript does, NaN first', () => {
    for (const [s, t] of [
      [p3109Type(4, 2), p3109Type(5, 3, { signed: false })],
      [p3109Type(4, 1), p3109Type(4, 1)],
    ] as const) {
      for (let a = 0; a < 2 ** s.bits; a++) {
        for (let b = 0; b < 2 ** t.bits; b++) {
          const [x, y] = [decodeP3109(a, s), decodeP3109(b, t)]
          const order = x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN
          expect(compareValues([a, s], [b, t])).toBe(order)
          expect(totalOrder([a, s], [b, t])).toBe(Number.isNaN(x) || x <= y)
        }
      }
    }
  })

  it('nextGreaterThan and nextLessThan walk through all values in order, and end at NaN', () => {
    for (const type of narrow) {
      const values = Array.from({ length: 2 ** type.bits }, (_, code) => code).filter(
        (code) => code !== type.nan,
      )
      values.sort((a, b) => decodeP3109(a, type) - decodeP3109(b, type))
      values.forEach((code, i) => {
        expect(nextGreaterThan(code, type)).toBe(values[i + 1] ?? type.nan)
        expect(nextLessThan(code, type)).toBe(values[i - 1] ?? type.nan)
      })
      expect([nextGreaterThan(type.nan, type), nextLessThan(type.nan, type)]).toEqual([type.nan, type.nan])
    }
  })
})
