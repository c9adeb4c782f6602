import {
  decode,
  decodeTable,
  defineFormat,
  type EncodeOptions,
  encode,
  encodeArray,
  type FloatFormat,
  format,
  formatNames,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { firstDifference, words } from '../bf16/drawnCodes.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { everyMode, neighbours, places, shapes } from './shapes.js'

// The reference of every fast way is `encode`; a NaN's sign, which it cannot see, is taken from the bits here.

/** Ways of being a format that only the fast paths tell apart: where keys just suffice, where rows have exceptions. */
const edges: readonly FloatFormat[] = [
  defineFormat({ name: 'e2m5', exponentBits: 2, mantissaBits: 5, bias: 1, nan: 'none', infinity: false }),
  defineFormat({ name: 'e1m6', exponentBits: 1, mantissaBits: 6, bias: 0, nan: 'none', infinity: false }),
  defineFormat({
    name: 'step-131',
    exponentBits: 5,
    mantissaBits: 2,
    bias: 130,
    nan: 'ieee',
    infinity: true,
  }),
  defineFormat({
    name: 'step-132',
    exponentBits: 5,
    mantissaBits: 2,
    bias: 131,
    nan: 'ieee',
    infinity: true,
  }),
  defineFormat({
    name: 'step-149',
    exponentBits: 5,
    mantissaBits: 9,
    bias: 141,
    nan: 'ieee',
    infinity: true,
  }),
  defineFormat({
    name: 'least-127',
    exponentBits: 6,
    mantissaBits: 6,
    bias: 128,
    nan: 'ieee',
    infinity: true,
  }),
  defineFormat({
    name: 'e5m6fnuz',
    exponentBits: 5,
    mantissaBits: 6,
    bias: 16,
    nan: 'negative-zero',
    infinity: false,
  }),
  defineFormat({ name: 'e5m10fn', exponentBits: 5, mantissaBits: 10, bias: 15, nan: 'top', infinity: false }),
  defineFormat({
    name: 'ue5m8',
    exponentBits: 5,
    mantissaBits: 8,
    bias: 15,
    nan: 'top',
    infinity: true,
    signed: false,
  }),
  defineFormat({
    name: 'flush12',
    exponentBits: 6,
    mantissaBits: 5,
    bias: 31,
    nan: 'ieee',
    infinity: true,
    subnormals: false,
  }),
]
const otherModes = ['nearest-away', 'toward-zero', 'up', 'down', 'to-odd'] as const
const titled = [...shapes, ...edges].map((record) => [record.name, record] as const)

const float32 = (bits: Uint32Array) => new Float32Array(bits.buffer, bits.byteOffset, bits.length)

/** What encodeArray has to give, one value at a time. */
function expected(
  values: Float32Array | Float64Array,
  record: FloatFormat,
  options?: EncodeOptions,
): Uint8Array | Uint16Array {
  const upper = new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)
  const stride = values.BYTES_PER_ELEMENT / 4
  const codes = record.bits <= 8 ? new Uint8Array(values.length) : new Uint16Array(values.length)
  values.forEach((value, i) => {
    const code = encode(value, record, options)
    const negative = Number.isNaN(value) && upper[stride * i + stride - 1]! >>> 31 === 1
    const { nan, signMask } = record
    if (!negative || nan === 'negative-zero') codes[i] = code
    else codes[i] = nan === 'none' ? 0 : code + signMask
  })
  return codes
}

/**
 * Every upper half of a float32 in and right beside the range of the format, and of the least and greatest exponents;
 * of either sign, each with some lower halves.
 */
function upperHalves(record: FloatFormat, lowerHalves: readonly number[]): Float32Array {
  const low = 127 + record.minExponent - record.mantissaBits - 3
  const high = 127 + record.maxExponent + 2
  const bits: number[] = []
  for (let upper = 0; upper < 65536; upper++) {
    const exponent = (upper >>> 7) & 0xff
    if ((exponent >= low && exponent <= high) || exponent < 2 || exponent > 253) {
      for (const lower of lowerHalves) bits.push(upper * 65536 + lower)
    }
  }
  return float32(Uint32Array.from(bits))
}

/** Every value of the format and every midpoint, and what lies right beside them; of either sign. */
function placedValues(record: FloatFormat): Float64Array {
  const list = places(record).map(({ magnitude }) => magnitude)
  const half = record.minPositive / 2
  list.push(0, half, neighbours(half).below, neighbours(half).above, Infinity, Number.NaN, 1e300, 5e-324)
  return Float64Array.from([...list, ...list.map((value) => -value)])
}

function repeated<A extends Float32Array | Float64Array>(values: A, least: number): A {
  const times = Math.ceil(least / values.length)
  const long = new (values.constructor as new (n: number) => A)(times * values.length)
  for (let i = 0; i < times; i++) long.set(values, i * values.length)
  return long
}

function expectEqual(values: Float32Array | Float64Array, record: FloatFormat, options: EncodeOptions): void {
  const difference = firstDifference(encodeArray(values, record, options), expected(values, record, options))
  expect(difference && { ...difference, ...options, source: values.constructor.name }).toBeUndefined()
}

describe.each(titled)('encodeArray(values), %s', (_, record) => {
  it('equals encode for every upper half of a float32', () => {
    const values = upperHalves(record, isLong ? [0, 0xffff] : [1, 0x8000])
    for (const saturate of [false, true]) expectEqual(values, record, { saturate })
  })

  it('equals encode at and beside every value and midpoint, from float64 and from float32', () => {
    const values = repeated(placedValues(record), 5000)
    const narrow = Float32Array.from(values)
    for (const saturate of [false, true]) {
      for (const source of [values, narrow]) expectEqual(source, record, { saturate })
    }
  })
})

describe.each(titled.filter(([, { bits }]) => bits <= 8))('encodeArray(values), %s', (_, record) => {
  const values = upperHalves(record, [isLong ? 0 : 1])

  it.each(otherModes)('equals encode for every upper half of a float32, %s', (rounding) => {
    expectEqual(values, record, { rounding, saturate: rounding === 'up' })
  })
})

describe.each(titled)(`encodeArray(values) on random bits, %s (seed ${seed})`, (_, record) => {
  const bits = words(seed, isLong ? 1 << 14 : 1 << 12)

  it.each(everyMode)('equals encode, $title', ({ rounding, random }) => {
    const options = random ? { rounding: rounding!, random } : { rounding: rounding! }
    for (const source of [float32(bits), new Float64Array(bits.buffer)]) {
      expect(
        firstDifference(encodeArray(source, record, options), expected(source, record, options)),
      ).toBeUndefined()
    }
  })

  it('equals encode near the range of the format, from float64', () => {
    const low = Math.max(-1022, record.minExponent - record.mantissaBits - 3)
    const span = record.maxExponent + 3 - low
    const values = new Float64Array(bits.slice().buffer)
    const upper = new Uint32Array(values.buffer)
    for (let i = 1; i < upper.length; i += 2) {
      upper[i] = ((upper[i]! & 0x800fffff) | ((1023 + low + (bits[i - 1]! % span)) << 20)) >>> 0
    }
    expect(firstDifference(encodeArray(values, record), expected(values, record))).toBeUndefined()
  })
})

describe('encodeArray(values), long arrays', () => {
  const record = (name: string) => format(name as never)

  it.each(formatNames)('keeps the sign of a NaN where %s can hold one', (name) => {
    const nans = [0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0xff8fffe0]
    const values = float32(Uint32Array.from({ length: 5001 }, (_, i) => nans[i % nans.length]!))
    const wide = new BigUint64Array(5001).map((_, i) => {
      const word = nans[i % nans.length]!
      return (BigInt((word | 0x7ff00000) >>> 0) << 32n) | 0xe0000001n
    })
    for (const source of [values, new Float64Array(wide.buffer)]) {
      expect(firstDifference(encodeArray(source, name), expected(source, record(name)))).toBeUndefined()
    }
  })

  it.each([2047, 2048, 2049, 4095, 4096, 4097, 8193])(
    'handles length %i, writing nothing beside out',
    (length) => {
      for (const name of ['float8_e4m3fn', 'float16', 'float8_e8m0fnu'] as const) {
        const Codes = format(name).bits > 8 ? Uint16Array : Uint8Array
        for (const values of [new Float32Array(length + 1).subarray(1), new Float64Array(length)]) {
          values.forEach((_, i) => {
            values[i] = Math.sin(i) * 2 ** ((i % 40) - 20)
          })
          const out = new Codes(length + 2).fill(0xab)
          encodeArray(values, name, undefined, out.subarray(1, -1))
          expect([out[0], out[length + 1]]).toEqual([0xab, 0xab])
          expect(firstDifference(out.subarray(1, -1), expected(values, record(name)))).toBeUndefined()
        }
      }
    },
  )

  it('may write over its own operand', () => {
    for (const length of [100, 10000]) {
      const values = Float32Array.from({ length }, (_, i) => i / 3 - 1000)
      for (const name of ['float8_e5m2', 'float16'] as const) {
        const codes = encodeArray(values, name)
        for (const offset of [0, 2, 2 * length - 2]) {
          const own = values.slice()
          const Codes = format(name).bits > 8 ? Uint16Array : Uint8Array
          const out = encodeArray(own, name, undefined, new Codes(own.buffer, offset, length))
          expect(firstDifference(out, codes)).toBeUndefined()
        }
      }
    }
  })

  it('gives each format its own codes when formats and modes take turns', () => {
    const values = Float32Array.from({ length: 5000 }, (_, i) => Math.tan(i) * 8)
    for (const name of [
      'float8_e4m3fn',
      'float16',
      'float8_e5m2',
      'bfloat16',
      'float8_e4m3fn',
      'float16',
    ] as const) {
      for (const saturate of [true, false]) {
        expect(
          firstDifference(
            encodeArray(values, name, { saturate }),
            expected(values, record(name), { saturate }),
          ),
        ).toBeUndefined()
      }
    }
  })

  it('encodes infinities among numbers', () => {
    const values = Float32Array.from({ length: 5000 }, (_, i) => [Infinity, i, -Infinity, -i / 7][i % 4]!)
    for (const name of formatNames) {
      for (const source of [values, Float64Array.from(values)]) {
        expect(firstDifference(encodeArray(source, name), expected(source, record(name)))).toBeUndefined()
      }
    }
  })

  it.each(formatNames)('stochastic draws one word per value, whatever the value, %s', (name) => {
    const values = Float32Array.from(
      { length: 3000 },
      (_, i) => [i / 3, Number.NaN, -Infinity, 0, -1e-9, 1e38][i % 6]!,
    )
    const drawn = words(seed, values.length)
    const source = () => {
      let next = 0
      return { rounding: 'stochastic', random: () => drawn[next++]! } as const
    }
    const codes = encodeArray(values, name, source())
    const options = source()
    expect(firstDifference(codes, expected(values, record(name), options))).toBeUndefined()
    expect(options.random()).toBeUndefined()
  })

  it.each(formatNames)('every value of %s encodes to its code, repeated past a block', (name) => {
    const table = decodeTable(name)
    const values = repeated(table, 9000)
    const codes = encodeArray(values, name)
    codes.forEach((code, i) => {
      const value = values[i]!
      if (!Object.is(decode(code, name), value)) expect([i, decode(code, name)]).toEqual([i, value])
    })
  })
})
