import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  decode,
  decodeArray,
  decodeTable,
  defineFormat,
  encode,
  encodeArray,
  encoder,
  type FloatFormat,
  format,
  formatNames,
  type Rounding,
  round,
  rounder,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const shapes: FloatFormat[] = [
  ...formatNames.map((name) => format(name)),
  defineFormat({
    name: 'p3109',
    exponentBits: 4,
    mantissaBits: 3,
    bias: 8,
    nan: 'negative-zero',
    infinity: true,
  }),
  defineFormat({ name: 'e6m9', exponentBits: 6, mantissaBits: 9, bias: 31, nan: 'ieee', infinity: true }),
  defineFormat({
    name: 'flush',
    exponentBits: 4,
    mantissaBits: 3,
    bias: 8,
    nan: 'none',
    infinity: false,
    subnormals: false,
  }),
  defineFormat({
    name: 'ue5m3',
    exponentBits: 5,
    mantissaBits: 3,
    bias: 15,
    nan: 'top',
    infinity: true,
    signed: false,
  }),
  defineFormat({
    name: 'e7m0',
    exponentBits: 7,
    mantissaBits: 0,
    bias: 63,
    nan: 'negative-zero',
    infinity: true,
  }),
]

const modes: readonly Rounding[] = ['nearest-even', 'nearest-away', 'toward-zero', 'up', 'down', 'to-odd']

/** Float64 values around every value and midpoint of a format, and its neighbours in float64. */
function hardValues(record: FloatFormat): number[] {
  const stride = record.bits === 16 ? 97 : 1
  const table = decodeTable(record)
  const bits = new BigInt64Array(1)
  const value = new Float64Array(bits.buffer)
  const near = (x: number): number[] => {
    value[0] = x
    bits[0]! += 1n
    const above = value[0]!
    bits[0]! -= 2n
    return [x, above, value[0]!]
  }
  const list = [0, 2 ** -1074, 1e300, Infinity]
  for (let code = 0; code <= record.maxCode; code += stride) {
    const low = table[code]!
    const high = code < record.maxCode ? table[code + 1]! : 2 * low - (table[code - 1] ?? 0)
    if (low > 0) list.push(...near(low), (low + high) * 0.375)
    list.push(...near((low + high) / 2))
  }
  list.push(record.max, record.max * 1.9, record.max * 2.1, record.minPositive / 2, record.minPositive / 4)
  return list.flatMap((x) => [x, -x])
}

describe.each(shapes.map((record) => [record.name, record] as const))('%s', (_, record) => {
  const values = hardValues(record)

  it.each([false, true])(
    'encoder and rounder equal encode and round on every midpoint, saturate %s',
    (saturate) => {
      for (const rounding of modes) {
        const options = { rounding, saturate }
        const [code, rounded] = [encoder(record, options), rounder(record, options)]
        for (const x of [...values, Number.NaN]) {
          const expected = encode(x, record, options)
          if (code(x) !== expected || !Object.is(rounded(x), decode(expected, record))) {
            expect([x, options, code(x), rounded(x)]).toEqual([
              x,
              options,
              expected,
              decode(expected, record),
            ])
          }
        }
      }
    },
  )

  it('round is idempotent and monotone in every mode, and lies between down and up', () => {
    // Where overflow is NaN, or negatives are, the order ends there.
    const finite = values
      .filter((x) => Math.abs(x) <= record.max && (x > 0 || record.signed))
      .sort((x, y) => x - y)
    for (const rounding of modes) {
      const to = rounder(record, { rounding })
      let previous = -Infinity
      for (const x of finite) {
        const y = to(x)
        const [low, high] = [round(x, record, { rounding: 'down' }), round(x, record, { rounding: 'up' })]
        if (!(y >= previous && Object.is(to(y), y) && low <= y && y <= high)) {
          expect([rounding, x, previous, low, high, y]).toEqual('ordered')
        }
        previous = y
      }
    }
  })

  it('nearest rounding has no nearer neighbour', () => {
    const table = decodeTable(record)
    for (const x of values) {
      if (!(x > 0) || x > record.max) continue
      const code = encode(x, record)
      const gap = Math.abs(table[code]! - x)
      for (const other of [code - 1, code + 1]) {
        if (other < 0 || other > record.maxCode) continue
        if (Math.abs(table[other]! - x) < gap) expect([x, code, other]).toEqual('nearest')
      }
    }
  })

  it('the nearest modes are odd where there is a sign', () => {
    if (!record.signed) return
    for (const rounding of ['nearest-even', 'nearest-away', 'toward-zero', 'to-odd'] as const) {
      for (const x of values) {
        const [plus, minus] = [round(x, record, { rounding }), round(-x, record, { rounding })]
        if (Number.isNaN(plus) ? !Number.isNaN(minus) : plus !== -minus)
          expect([x, plus, minus]).toEqual('odd')
      }
    }
  })
})

describe('stochastic rounding', () => {
  type Row = [string, number, number, string, string]
  const key = JSON.parse(readFileSync(new URL('../golden/formats/stochastic.json', import.meta.url), 'utf8'))

  it.each(['bfloat16', 'float8_e4m3fn'] as const)(
    'encode(x, %s) goes up for exactly the fraction of words',
    (name) => {
      for (const [hex, toward, away, numerator, denominator] of key[name] as Row[]) {
        const x = Buffer.from(hex, 'hex').readFloatBE()
        const words = (Number(numerator) / Number(denominator)) * 2 ** 32
        const at = (word: number) => encode(x, name, { rounding: 'stochastic', random: () => word })
        const cut = Math.floor(words)
        expect(at(2 ** 32 - 1)).toBe(toward)
        if (cut > 0) expect([at(0), at(cut - 1)]).toEqual([away, away])
        if (cut < 2 ** 32) expect(at(cut)).toBe(toward)
      }
    },
  )

  it('is exact in expectation over all 65,536 words of 16 bits, at powers of two, subnormals and overflow too', () => {
    const value = new Float32Array(1)
    const bits = new Uint32Array(value.buffer)
    for (const pattern of [
      0x3f800001, 0x3f7f8001, 0x3fffffff, 0x00000001, 0x00008000, 0x007fabcd, 0x7f7f1234, 0xbf7f8001,
    ]) {
      bits[0] = pattern
      const x = value[0]!
      let word = 0
      const to = encoder('bfloat16', { rounding: 'stochastic', random: () => word })
      let up = 0
      for (let k = 0; k < 65536; k++) {
        word = k * 65536
        const code = to(x)
        if (code === (pattern >>> 16) + 1) up++
        else if (code !== pattern >>> 16) expect([pattern, word, code]).toEqual('a neighbour')
      }
      expect([pattern, up]).toEqual([pattern, pattern & 0xffff])
    }
  })

  it('draws one word per value, whatever the value, and leaves exact values alone', () => {
    let drawn = 0
    const random = () => {
      drawn++
      return 0
    }
    const exact = Float64Array.of(1, -0, Infinity, Number.NaN, 2 ** -133, 3.5)
    const codes = encodeArray(exact, 'bfloat16', { rounding: 'stochastic', random })
    expect(drawn).toBe(exact.length)
    expect(codes).toEqual(encodeArray(exact, 'bfloat16'))
  })

  it('needs a source of uint32 words', () => {
    expect(() => encode(1, 'bfloat16', { rounding: 'stochastic' })).toThrow(
      new RangeError("encode: 'stochastic' needs random, a source of uint32 words [undefined]"),
    )
    expect(() => encode(1, 'bfloat16', { rounding: 'stochastic', random: () => 0.5 })).toThrow(
      new RangeError('encode: random gave no uint32 [0.5]'),
    )
  })
})

describe('float16 arithmetic through float64', () => {
  it.each([
    ['add', (a: number, b: number) => a + b],
    ['mul', (a: number, b: number) => a * b],
  ] as const)('encode(a %s b) equals TestFloat, NaN by class', (name, op) => {
    const key = new Columns(`formats/testfloat_f16_${name}`)
    const [a, b, result] = [key.u16('a'), key.u16('b'), key.u16('result')]
    const table = decodeTable('float16')
    for (let i = 0; i < result.length; i++) {
      const code = encode(op(table[a[i]!]!, table[b[i]!]!), 'float16')
      const expected = Number.isNaN(table[result[i]!]) ? 0x7e00 : result[i]
      if (code !== expected) expect([a[i], b[i], code]).toEqual([a[i], b[i], expected])
    }
  })
})

describe('arrays', () => {
  it('encodeArray(NaNs) keeps signs and drops payloads, from float32 and from float64', () => {
    const single = new Float32Array(Uint32Array.of(0x7f800001, 0xffc12345, 0xff800001).buffer)
    const double = new Float64Array(
      BigUint64Array.of(0x7ff0000000000001n, 0xfff8000000000000n, 0xfff123456789abcdn).buffer,
    )
    for (const values of [single, double]) {
      expect(Array.from(encodeArray(values, 'bfloat16'))).toEqual([0x7fc0, 0xffc0, 0xffc0])
      expect(Array.from(encodeArray(values, 'float8_e4m3fn'))).toEqual([0x7f, 0xff, 0xff])
      expect(Array.from(encodeArray(values, 'float8_e5m2fnuz'))).toEqual([0x80, 0x80, 0x80])
      expect(Array.from(encodeArray(values, 'float4_e2m1fn'))).toEqual([8, 0, 0])
    }
  })

  it('decodeArray(codes) keeps the sign of NaN', () => {
    const out = decodeArray(Uint16Array.of(0x7f81, 0xff81), 'bfloat16')
    expect(Array.from(new Uint32Array(out.buffer))).toEqual([0x7fc00000, 0xffc00000])
  })

  it('encodeArray and decodeArray write into out, also into part of a buffer', () => {
    const codes = new Uint16Array(4)
    const part = codes.subarray(1, 3)
    expect(encodeArray(Float32Array.of(0, 1, 2, 3).subarray(1, 3), 'bfloat16', undefined, part)).toBe(part)
    expect(Array.from(codes)).toEqual([0, 0x3f80, 0x4000, 0])
    const values = new Float32Array(4)
    expect(Array.from(decodeArray(part, 'bfloat16', values.subarray(1, 3)))).toEqual([1, 2])
    expect(Array.from(values)).toEqual([0, 1, 2, 0])
    expect(encodeArray(new Float64Array(0), 'float16').length).toBe(0)
  })

  it('refuse wrong kinds and lengths', () => {
    const one = Float32Array.of(1)
    expect(() => encodeArray(one, 'bfloat16', undefined, new Uint8Array(1))).toThrow(
      new TypeError('encodeArray: out is no Uint16Array, which bfloat16 needs [object]'),
    )
    expect(() => encodeArray(one, 'bfloat16', undefined, new Uint16Array(2))).toThrow(
      new RangeError('encodeArray: lengths differ [values 1, out 2]'),
    )
    // @ts-expect-error a plain list is no typed array
    expect(() => encodeArray([1], 'bfloat16')).toThrow(TypeError)
    expect(() => decodeArray(Uint8Array.of(16), 'float4_e2m1fn')).toThrow(
      new RangeError('decodeArray: code outside 0..15 of float4_e2m1fn [16]'),
    )
    expect(() => decodeArray(Uint8Array.of(1), 'float8_e5m2', new Float32Array(2))).toThrow(
      new RangeError('decodeArray: lengths differ [codes 1, out 2]'),
    )
    expect(() => decode(300, 'float8_e4m3fn')).toThrow(
      new RangeError('decode: code outside 0..255 of float8_e4m3fn [300]'),
    )
    expect(() => decode(0.5, 'bfloat16')).toThrow(RangeError)
    // @ts-expect-error no such mode
    expect(() => encode(1, 'bfloat16', { rounding: 'nearest' })).toThrow(
      /^encode: rounding is none of nearest-even .* \[nearest\]$/,
    )
  })

  it(`encodeArray(float32 values) equals encodeArray(the same as float64) (seed ${seed})`, () => {
    const pattern = fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 1, maxLength: 64 })
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom(...formatNames),
        fc.constantFrom(...modes),
        (words, name, rounding) => {
          const single = new Float32Array(Uint32Array.from(words).buffer)
          // A NaN loses its sign on the way, so it is left out.
          const values = single.filter((x) => !Number.isNaN(x))
          expect(encodeArray(values, name, { rounding })).toEqual(
            encodeArray(Float64Array.from(values), name, { rounding }),
          )
        },
      ),
      { seed, numRuns: 300 },
    )
  })
})
