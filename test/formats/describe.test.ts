import { readFileSync } from 'node:fs'
import { codeTable, decode, describe as describeCode, format, isNaNCode } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { shapes } from './shapes.js'

describe.each(shapes.map((record) => [record.name, record] as const))('%s', (_, record) => {
  it('describe(code) gives fields that make the code, and a significand and power that make the value, for every code', () => {
    const { exponentBits, mantissaBits, signMask } = record
    for (let code = 0; code < 2 ** record.bits; code++) {
      const told = describeCode(code, record)
      const { bits, sign, exponent, mantissa, significand, power, value } = told
      const made = significand === null || power === null ? value : significand * 2 ** power
      const signed = sign === 1 && !Number.isNaN(value) ? -Math.abs(made) : made
      const widths = [record.signed ? 1 : 0, exponentBits, mantissaBits].filter((width) => width > 0)
      const kind =
        told.class === 'nan'
          ? isNaNCode(code, record)
          : told.class === 'infinity'
            ? Math.abs(value) === Infinity
            : told.class === 'zero'
              ? value === 0
              : told.class === 'normal'
                ? significand !== null &&
                  significand >= 1 &&
                  significand < 2 &&
                  Math.abs(value) >= record.minNormal
                : significand !== null && significand < 1 && significand > 0 && record.subnormals
      if (
        sign * signMask + exponent * 2 ** mantissaBits + mantissa !== code ||
        Number.parseInt(bits.replaceAll(' ', ''), 2) !== code ||
        bits
          .split(' ')
          .map((field) => field.length)
          .join() !== widths.join() ||
        !Object.is(signed, value) ||
        !Object.is(value, decode(code, record)) ||
        !kind
      ) {
        expect(told).toEqual('consistent')
      }
    }
  })

  it('codeTable() has a line for each code, whose value reads back', () => {
    const from = 0
    const to = Math.min(2 ** record.bits, 512)
    const lines = codeTable(record, from, to).split('\n')
    expect(lines.length).toBe(to + 1)
    for (const [code, line] of lines.slice(1).entries()) {
      const cells = line.split(/ {2,}/)
      const value = cells[3]
      if (Number(cells[0]) !== code || !Object.is(Number(value), decode(code, record))) {
        expect([code, line]).toEqual('a line')
      }
    }
  })
})

describe('describe', () => {
  it('describe counts the classes of IEEE 754 in float16 as decode.json does its NaNs', () => {
    const key = JSON.parse(readFileSync(new URL('../golden/formats/decode.json', import.meta.url), 'utf8'))
    const counts: Record<string, number> = { signalling: 0 }
    for (let code = 0; code < 65536; code++) {
      const { class: kind, signalling } = describeCode(code, 'float16')
      counts[kind] = (counts[kind] ?? 0) + 1
      if (signalling) counts['signalling'] = (counts['signalling'] ?? 0) + 1
    }
    expect(counts).toEqual({
      zero: 2,
      subnormal: 2 * 1023,
      normal: 2 * 30 * 1024,
      infinity: 2,
      nan: 2 * 1023,
      signalling: 2 * 511,
    })
    expect(key.formats.float8_e5m2.nan_codes).toEqual(
      Array.from({ length: 256 }, (_, code) => code).filter(
        (code) => describeCode(code, 'float8_e5m2').class === 'nan',
      ),
    )
  })

  it('codeTable(float4_e2m1fn) is the table of the format', () => {
    expect(codeTable('float4_e2m1fn', 0, 10)).toBe(
      [
        'code  bits    class      value',
        '0x0   0 00 0  zero       0',
        '0x1   0 00 1  subnormal  0.5    0.5 * 2^0',
        '0x2   0 01 0  normal     1      1 * 2^0',
        '0x3   0 01 1  normal     1.5    1.5 * 2^0',
        '0x4   0 10 0  normal     2      1 * 2^1',
        '0x5   0 10 1  normal     3      1.5 * 2^1',
        '0x6   0 11 0  normal     4      1 * 2^2',
        '0x7   0 11 1  normal     6      1.5 * 2^2',
        '0x8   1 00 0  zero       -0',
        '0x9   1 00 1  subnormal  -0.5   -0.5 * 2^0',
      ].join('\n'),
    )
    expect(codeTable('float8_e5m2', 0x7c, 0x80)).toContain('0x7d  0 11111 01  signalling nan  NaN')
    expect(codeTable('bfloat16').split('\n').length).toBe(65537)
  })

  it('describe and codeTable refuse codes outside the format, and name it', () => {
    expect(() => describeCode(16, 'float4_e2m1fn')).toThrow(
      new RangeError('describe: code outside 0..15 of float4_e2m1fn [16]'),
    )
    expect(() => describeCode(-1, 'bfloat16')).toThrow(RangeError)
    expect(() => describeCode(1.5, format('bfloat16'))).toThrow(RangeError)
    expect(() => codeTable('float8_e5m2', 0, 257)).toThrow(
      new RangeError('codeTable: code outside 0..255 of float8_e5m2 [256]'),
    )
  })
})
