import { readFileSync } from 'node:fs'
import {
  decode,
  decodeTable,
  encode,
  encodeArray,
  encoder,
  type FormatName,
  format,
  formatNames,
  type Rounding,
  round,
  rounder,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { floatOfHex } from '../support/floatOfHex.js'

// Answer keys of ml_dtypes 0.6.0, NumPy, TestFloat 3e and exact rationals; see test/golden/formats/README.md.

const facts = JSON.parse(
  readFileSync(new URL('../golden/formats/decode.json', import.meta.url), 'utf8'),
).formats

function codesOf(columns: Columns, column: string, name: FormatName): Uint8Array | Uint16Array {
  return format(name).bits <= 8 ? columns.u8(column) : columns.u16(column)
}

/** NaN codes of float16 are compared by class: NumPy keeps payloads. */
function canonical(codes: Uint8Array | Uint16Array, name: FormatName): string[] {
  const sign = format(name).signMask
  return Array.from(codes, (code) =>
    name === 'float16' && Number.isNaN(decode(code, name)) ? `NaN${code & sign}` : code.toString(16),
  )
}

function floats(columns: Columns, column: string): Float32Array {
  const bits = columns.u32(column)
  return new Float32Array(bits.buffer, bits.byteOffset, bits.length)
}

it('formatNames are the formats of the keys', () => {
  expect([...formatNames].sort()).toEqual(Object.keys(facts).sort())
})

describe.each(formatNames)('%s', (name) => {
  const record = format(name)

  it('format(name) derives the facts of ml_dtypes.finfo', () => {
    const key = facts[name]
    expect({
      bits: record.bits,
      exponent_bits: record.exponentBits,
      mantissa_bits: record.mantissaBits,
      bias: record.bias,
      max: record.max,
      lowest: record.lowest,
      min_normal: record.minNormal,
      min_subnormal: record.minSubnormal,
      eps: record.eps,
      has_inf: record.infinityCode !== null,
      has_nan: record.nan !== 'none',
      has_neg_zero: record.negativeZero,
      has_zero: record.zero,
      signed: record.signed,
      max_code: record.maxCode,
      canonical_nan_code: record.canonicalNaN,
    }).toEqual({
      bits: key.bits,
      exponent_bits: key.exponent_bits,
      mantissa_bits: key.mantissa_bits,
      bias: key.bias,
      max: key.max,
      lowest: key.lowest,
      min_normal: key.min_normal,
      min_subnormal: key.min_subnormal,
      eps: key.eps,
      has_inf: key.has_inf,
      has_nan: key.has_nan,
      has_neg_zero: key.has_neg_zero,
      has_zero: key.has_zero,
      signed: key.signed,
      max_code: key.max_code,
      canonical_nan_code: key.canonical_nan_code,
    })
  })

  it('decode(code) equals the key for every code', () => {
    const count = 2 ** record.bits
    const expected =
      record.bits === 16
        ? Array.from(floats(new Columns(`formats/decode_${name}`), 'value_f32_bits'))
        : facts[name].values_f64_hex.map(floatOfHex)
    expect(expected.length).toBe(count)
    const table = decodeTable(name)
    for (let code = 0; code < count; code++) {
      const value = decode(code, name)
      if (!Object.is(value, expected[code]) || !Object.is(table[code], expected[code])) {
        expect({ code, value, table: table[code] }).toEqual({
          code,
          value: expected[code],
          table: expected[code],
        })
      }
    }
  })

  describe.each(['adversarial', 'random'])('encode from float32, %s', (kind) => {
    const key = new Columns(`formats/encode_f32_${kind}_${name}`)
    const inputs =
      kind === 'random'
        ? floats(new Columns('formats/encode_f32_random_inputs'), 'input_f32')
        : floats(key, 'input_f32')
    const nearest = name === 'float8_e8m0fnu' ? 'rne_exact' : 'rne'

    it('encodeArray(values) equals the key', () => {
      expect(canonical(encodeArray(inputs, name), name)).toEqual(canonical(codesOf(key, nearest, name), name))
    })
    it('encodeArray(values, saturate) equals the key', () => {
      expect(canonical(encodeArray(inputs, name, { saturate: true }), name)).toEqual(
        canonical(codesOf(key, 'saturate', name), name),
      )
    })
    it('encode and encoder give the same codes as encodeArray, NaN with sign 0', () => {
      const fast = encoder(name)
      const code = encodeArray(inputs, name)
      const nan = encode(Number.NaN, name)
      for (let i = 0; i < inputs.length; i++) {
        const expected = Number.isNaN(inputs[i]) ? nan : code[i]
        if (encode(inputs[i]!, name) !== expected || fast(inputs[i]!) !== expected) {
          expect([encode(inputs[i]!, name), fast(inputs[i]!)]).toEqual([expected, expected])
        }
      }
    })
    it('rounder and round give the value of the code', () => {
      const fast = rounder(name)
      for (const value of inputs) {
        const expected = decode(encode(value, name), name)
        if (!Object.is(round(value, name), expected) || !Object.is(fast(value), expected)) {
          expect([value, round(value, name), fast(value)]).toEqual([value, expected, expected])
        }
      }
    })
  })
})

const doubles = ['bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2', 'float4_e2m1fn'] as const

describe.each(doubles)('encode from float64, %s', (name) => {
  const key = new Columns(`formats/encode_f64_${name}`)
  const bits = key.u64('input_f64')
  const inputs = new Float64Array(bits.buffer, bits.byteOffset, bits.length)

  it('encodeArray(values) rounds once', () => {
    expect(encodeArray(inputs, name)).toEqual(codesOf(key, 'rne', name))
    expect(encodeArray(inputs, name, { saturate: true })).toEqual(codesOf(key, 'saturate', name))
  })
  it('encode, encoder, round and rounder agree on every input', () => {
    const [code, value] = [encoder(name), rounder(name)]
    for (const x of inputs) {
      const expected = encode(x, name)
      if (code(x) !== expected || !Object.is(value(x), decode(expected, name))) {
        expect([x, code(x), value(x)]).toEqual([x, expected, decode(expected, name)])
      }
    }
  })
  it('a cast through float32 would differ exactly where the key says', () => {
    const through = encodeArray(Float32Array.from(inputs), name)
    const direct = encodeArray(inputs, name)
    const differs = key.u8('through_f32_differs')
    const found = Array.from(differs, (_, i) =>
      Number.isNaN(inputs[i]) ? 0 : Number(through[i] !== direct[i]),
    )
    expect(found).toEqual(Array.from(differs))
  })
})

const modes: readonly (readonly [string, Rounding])[] = [
  ['rne', 'nearest-even'],
  ['rna', 'nearest-away'],
  ['rtz', 'toward-zero'],
  ['rtp', 'up'],
  ['rtn', 'down'],
  ['rto', 'to-odd'],
]

describe.each(['bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn'] as const)(
  'rounding modes, %s',
  (name) => {
    const key = new Columns(`formats/rounding_modes_${name}`)
    it.each(modes)('encodeArray(values, %s) equals the key', (column, rounding) => {
      const codes = encodeArray(floats(key, 'input_f32'), name, { rounding })
      expect(canonical(codes, name)).toEqual(canonical(codesOf(key, column, name), name))
    })
  },
)

describe('TestFloat f32_to_bf16', () => {
  const key = new Columns('formats/testfloat_f32_to_bf16')
  it.each(modes)('encodeArray(values, %s) equals TestFloat, NaN by class', (column, rounding) => {
    const byClass = (codes: Uint8Array | Uint16Array) =>
      Array.from(codes, (code) => (Number.isNaN(decode(code, 'bfloat16')) ? Number.NaN : code))
    const codes = encodeArray(floats(key, 'input_f32'), 'bfloat16', { rounding })
    expect(byClass(codes)).toEqual(byClass(key.u16(column)))
  })
})
