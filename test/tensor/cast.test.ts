import fc from 'fast-check'
import { decode, encode, format, formatNames } from 'tpu-toolkit/formats'
import { cast, type DType, dtypes, fromBits, slice, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe(`cast (seed ${seed})`, () => {
  it.each(formatNames)('cast float32 -> %s rounds once, and back is exact', (dtype) => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffffffff), { maxLength: 30 }), (codes) => {
        const x = fromBits(Uint32Array.from(codes), { dtype: 'float32' })
        const low = cast(x, dtype)
        for (let i = 0; i < codes.length; i++) {
          if (Number.isNaN(x.data[i]!)) continue
          expect(low.data[i]).toBe(encode(x.data[i]!, dtype))
          expect(cast(low, 'float32').data[i]).toBe(decode(low.data[i]!, dtype))
          expect(cast(low, 'float64').data[i]).toBe(decode(low.data[i]!, dtype))
        }
      }),
      { seed },
    )
  })

  it('cast float64 -> bfloat16 rounds once where float32 in between would be wrong', () => {
    const x = tensor([1 + 2 ** -8 + 2 ** -40], { dtype: 'float64' })
    expect([...cast(x, 'bfloat16').data]).toEqual([0x3f81])
    expect([...cast(cast(x, 'float32'), 'bfloat16').data]).toEqual([0x3f80])
  })

  it('cast keeps the sign of a NaN between floats', () => {
    const minus = fromBits(Uint32Array.of(0xffc00001, 0x7fc00001), { dtype: 'float32' })
    expect([...cast(minus, 'bfloat16').toBits()]).toEqual([0xffc0, 0x7fc0])
    expect([...cast(minus, 'float16').toBits()]).toEqual([0xfe00, 0x7e00])
    const wide = cast(minus, 'float64')
    expect([...wide.toBits()].map((bits) => (bits as bigint) >> 63n)).toEqual([1n, 0n])
    const back = fromBits([0xffc0, 0x7fc0], { dtype: 'bfloat16' })
    expect([...cast(back, 'float32').toBits()]).toEqual([0xffc00000, 0x7fc00000])
    expect([...cast(back, 'float16').toBits()]).toEqual([0xfe00, 0x7e00])
  })

  it('cast to integers truncates, saturates and makes NaN 0', () => {
    const x = tensor([1.9, -1.9, 3e9, -3e9, Infinity, -Infinity, Number.NaN])
    expect(cast(x, 'int32').toNested()).toEqual([1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 1, -(2 ** 31), 0])
    expect(cast(x, 'uint32').toNested()).toEqual([1, 0, 3e9, 0, 2 ** 32 - 1, 0, 0])
    expect(cast(tensor([300], { dtype: 'bfloat16' }), 'int32').item()).toBe(300)
  })

  it('cast to bool asks for not zero, from bool gives 0 and 1', () => {
    expect(cast(tensor([0, -0, 0.1, Number.NaN]), 'bool').toNested()).toEqual([false, false, true, true])
    expect(cast(tensor([5, 0], { dtype: 'int32' }), 'bool').toNested()).toEqual([true, false])
    expect(cast(tensor([true, false], { dtype: 'bool' }), 'bfloat16').toNested()).toEqual([1, 0])
  })

  it('cast from integers rounds once', () => {
    expect(cast(tensor([2 ** 24 + 1, 257], { dtype: 'int32' }), 'float32').toNested()).toEqual([2 ** 24, 257])
    expect(cast(tensor([2 ** 24 + 1, 257], { dtype: 'int32' }), 'bfloat16').toNested()).toEqual([
      2 ** 24,
      256,
    ])
    expect(cast(tensor([-1], { dtype: 'int32' }), 'uint32').item()).toBe(2 ** 32 - 1)
  })

  it('cast(x, format, options) takes rounding modes and saturation; native dtypes refuse them', () => {
    const x = tensor([257, 1e39], { dtype: 'float64' })
    expect(cast(x, 'bfloat16', { rounding: 'up' }).toNested()).toEqual([258, Infinity])
    expect(cast(x, 'bfloat16', { saturate: true }).toNested()).toEqual([256, decode(0x7f7f, 'bfloat16')])
    expect(() => cast(x, 'float32', { rounding: 'up' })).toThrow(
      new RangeError('cast: rounding options are for formats of at most 16 bits [float32]'),
    )
    expect(() => cast(x, 'half' as DType)).toThrow(
      new TypeError('cast: unknown dtype, did you mean float16 [half]'),
    )
  })

  it('cast between formats rounds once from the exact value', () => {
    for (const from of formatNames) {
      for (const to of formatNames) {
        const codes = Array.from({ length: 256 }, (_, i) =>
          from === 'bfloat16' || from === 'float16' ? i * 257 : i,
        )
        const kept = codes.filter((code) => code < 2 ** format(from).bits)
        const got = cast(fromBits(kept, { dtype: from }), to)
        kept.forEach((code, i) => {
          const value = decode(code, from)
          if (!Number.isNaN(value)) expect(got.data[i]).toBe(encode(value, to))
        })
      }
    }
  })
})

describe('cast of long rows', () => {
  const special = [
    0,
    -0,
    0.3,
    -0.7,
    1,
    255.5,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 32,
    2 ** -149,
    2 ** 60,
    -Infinity,
    Infinity,
    NaN,
  ]

  it.each(['float32', 'float64', 'int32', 'uint32'] as const)(
    'from %s gives what each number gives alone',
    (from) => {
      const long = cast(
        tensor(
          Float64Array.from({ length: 40_000 }, (_, i) => special[i % special.length]!),
          { dtype: 'float64' },
        ),
        from,
      )
      const alone = special.map((_, i) => slice(long, [[i, i + 1]]))
      for (const to of dtypes) {
        const expected = alone.map((x) => cast(x, to).toNumbers()[0])
        const wrong = cast(long, to)
          .toNumbers()
          .findIndex((value, i) => !Object.is(value, expected[i % special.length]))
        expect(wrong, to).toBe(-1)
      }
    },
  )
})
