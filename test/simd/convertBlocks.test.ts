import { encodeArray } from 'tpu-toolkit/formats'
import { bits, key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { arena, type Conversion, convertBlocks } from '#simd'

const simd = arena('simd')!

/** Every exponent and both signs of float32, integers and their neighbours, ties of float16, what is not finite. */
const words = Uint32Array.from([
  ...bits(key(4), 40_000),
  ...Array.from({ length: 512 }, (_, i) => (i << 23) | ((i % 7) << 12)),
  ...Array.from({ length: 4096 }, (_, i) => 0x33000000 + i * 0x1000 * 16),
  ...[0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000],
])
const float32 = new Float32Array(words.buffer)
const float64 = Float64Array.from([
  ...float32,
  ...[-(2 ** 31) - 0.5, -(2 ** 31) - 1, 2 ** 31 - 0.5, 2 ** 32 - 0.5, 2 ** 32, 1e300, -1e300, 5e-324],
  ...Array.from(float32, (v) => v * (1 + 2 ** -40)),
])
const int32 = new Int32Array(words.buffer)

const toInt = (low: number, high: number) => (x: number) =>
  Number.isNaN(x) ? 0 : Math.min(high, Math.max(low, Math.trunc(x))) + 0
const signed = toInt(-(2 ** 31), 2 ** 31 - 1)
const unsigned = toInt(0, 2 ** 32 - 1)
const bool = (x: number) => (x === 0 ? 0 : 1)

const cases: [
  Conversion,
  Float32Array | Float64Array | Int32Array,
  (x: number) => number,
  'i' | 'u' | 'b',
][] = [
  ['int32OfFloat32', float32, signed, 'i'],
  ['uint32OfFloat32', float32, unsigned, 'u'],
  ['boolOfFloat32', float32, bool, 'b'],
  ['int32OfFloat64', float64, signed, 'i'],
  ['uint32OfFloat64', float64, unsigned, 'u'],
  ['boolOfFloat64', float64, bool, 'b'],
  ['boolOfInt32', int32, bool, 'b'],
]
const arrays = { i: Int32Array, u: Uint32Array, b: Uint8Array }

describe('convertBlocks', () => {
  it.each(cases)(
    'convertBlocks(arena, %s) converts each element as JavaScript does',
    (name, from, f, kind) => {
      for (const n of [0, 1, 15, 17, from.length]) {
        const part = from.subarray(0, n)
        const out = new arrays[kind](n)
        convertBlocks(simd, name, part, out)
        expect(out).toEqual(new arrays[kind](Array.from(part, f)))
      }
    },
  )

  it('convertBlocks(arena, float32OfFloat64) rounds as Math.fround', () => {
    const out = new Float32Array(float64.length)
    convertBlocks(simd, 'float32OfFloat64', float64, out)
    expect(out).toEqual(Float32Array.from(float64, Math.fround))
  })

  it('convertBlocks(arena, float16OfFloat32) has the codes of encodeArray', () => {
    const out = new Uint16Array(float32.length)
    convertBlocks(simd, 'float16OfFloat32', float32, out)
    expect(out).toEqual(encodeArray(float32, 'float16'))
  })
})
