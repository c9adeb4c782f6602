import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { decode, decodeTable } from 'tpu-toolkit/formats'
import {
  decodeExact,
  decodeP3109,
  type P3109Type,
  p3109Type,
  p3109Types,
  valueTable,
} from 'tpu-toolkit/p3109'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'

const key: { tables: Record<string, [all: string, some: string]>; whole: Record<string, string> } =
  JSON.parse(readFileSync(new URL('../golden/p3109/tables.json', import.meta.url), 'utf8'))

/** A value as scripts/golden/p3109.py writes it. */
function line(code: number, type: P3109Type): string {
  const { kind, sign, numerator, denominator, exponent } = decodeExact(code, type)
  if (kind === 'nan') return 'nan'
  if (kind === 'infinity') return sign > 0 ? '+inf' : '-inf'
  if (sign === 0) return '0'
  if (denominator !== 1n) throw new Error(`no dyadic number [${code}]`)
  let [m, e] = [Number(numerator), exponent]
  for (; m % 2 === 0; e++) m /= 2
  return `${sign * m} ${e}`
}

const hash = (codes: number[], type: P3109Type): string =>
  createHash('sha256')
    .update(codes.map((code) => line(code, type)).join('\n'))
    .digest('hex')
    .slice(0, 32)

describe('p3109Type', () => {
  it('p3109Types() are the 504 formats of the key, in its order', () => {
    expect(p3109Types().map(({ name }) => name)).toEqual(Object.keys(key.tables))
    expect(Object.keys(key.tables).length).toBe(504)
  })

  it(`decodeExact gives all 504 value tables${isLong ? '' : ', of those wider than 9 bits a 127th'}`, () => {
    for (const type of p3109Types()) {
      const codes = Array.from({ length: 2 ** type.bits }, (_, code) => code)
      const [all, some] = key.tables[type.name]!
      const whole = key.whole[type.name]
      if (whole !== undefined) expect(codes.map((code) => line(code, type)).join(), type.name).toBe(whole)
      if (isLong || type.bits <= 9) expect(hash(codes, type), type.name).toBe(all)
      const near = [0, 2 ** (type.bits - 1), 2 ** type.bits]
      const chosen = codes.filter((x) => x % 127 === 0 || near.some((place) => Math.abs(x - place) <= 8))
      expect(hash(chosen, type), type.name).toBe(some)
    }
  })

  it('p3109Type(...) has the codes of the special and the outermost values', () => {
    for (const type of p3109Types()) {
      const at = (code: number | null) => (code === null ? null : decodeExact(code, type))
      expect(at(type.nan)!.kind).toBe('nan')
      expect([at(type.positiveInfinity)?.kind, at(type.positiveInfinity)?.sign]).toEqual(
        type.infinity ? ['infinity', 1] : [undefined, undefined],
      )
      expect(at(type.negativeInfinity)?.sign).toBe(type.infinity && type.signed ? -1 : undefined)
      const { maxFinite, minFinite, minNormal, maxSubnormal } = type
      expect([at(maxFinite)!.kind, decodeExact(maxFinite + 1, type).kind]).toEqual([
        'finite',
        type.infinity ? 'infinity' : 'nan',
      ])
      expect(at(minFinite)).toEqual(type.signed ? { ...at(maxFinite)!, sign: -1 } : at(0))
      expect(maxSubnormal).toBe(type.precision === 1 ? null : minNormal - 1)
      // The least normal number is 2^(1 - bias), the code 2^(precision - 1).
      expect([at(minNormal)!.numerator, at(minNormal)!.exponent]).toEqual([
        BigInt(minNormal),
        2 - type.bias - type.precision,
      ])
    }
  })

  it('valueTable(type) is exact: float32 for 376 types, float64 for 78, refused for 50', () => {
    const counts = { float32: 0, float64: 0, none: 0 }
    for (const type of p3109Types()) {
      counts[type.values]++
      if (type.values === 'none') {
        const message = `values outside float64's, decodeExact gives them [${type.name}]`
        expect(() => valueTable(type)).toThrow(new RangeError(`valueTable: ${message}`))
        expect(() => decodeP3109(0, type)).toThrow(new RangeError(`decodeP3109: ${message}`))
        continue
      }
      // The widest types take a moment each.
      if (type.bits > 12 && type.precision % 4 > 0) continue
      const table = valueTable(type)
      expect(table).toBeInstanceOf(type.values === 'float32' ? Float32Array : Float64Array)
      if (type.format !== null) {
        expect(type.format.name).toBe(type.name)
        expect(new Uint8Array(table.buffer)).toEqual(new Uint8Array(decodeTable(type.format).buffer))
      }
      const codes = [0, 1, type.minNormal, type.maxFinite - 1, type.maxFinite, type.nan, type.minFinite]
      for (const code of codes) {
        const value = decodeP3109(code, type)
        expect(value).toBe(table[code])
        const { kind, sign, numerator, exponent } = decodeExact(code, type)
        if (kind !== 'finite') continue
        // 2 ** exponent in two halves, so that neither leaves float64's normal range.
        const half = Math.trunc(exponent / 2)
        expect(value / 2 ** half / 2 ** (exponent - half)).toBe(sign * Number(numerator))
      }
    }
    expect(counts).toEqual({ float32: 376, float64: 78, none: 50 })
  })

  it('p3109Type(the same) is one frozen record', () => {
    expect(p3109Type(8, 4)).toBe(p3109Type(8, 4, { signed: true }))
    expect(Object.isFrozen(p3109Type(8, 4))).toBe(true)
    expect(p3109Type(8, 4).format).toEqual(
      expect.objectContaining({ max: decode(0x7e, p3109Type(8, 4).format!) }),
    )
  })

  it.each<[string, () => unknown, string]>([
    ['2 bits', () => p3109Type(2, 1), 'p3109Type: bits is not a whole number from 3 to 16 [2]'],
    ['8 of 8 signed', () => p3109Type(8, 8), 'p3109Type: precision is not a whole number from 1 to 7 [8]'],
    [
      'a code',
      () => decodeExact(16, p3109Type(4, 2)),
      'decodeExact: code is not a whole number from 0 to 15 [16]',
    ],
    [
      'a name',
      () => p3109Type(8, 4, { signe: true } as never),
      'p3109Type: unknown option, did you mean signed [signe]',
    ],
  ])('p3109Type says what is wrong: %s', (_, attempt, message) => {
    expect(attempt).toThrow(new RangeError(message))
  })
})
