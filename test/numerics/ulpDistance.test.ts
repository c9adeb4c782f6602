import fc from 'fast-check'
import { formatNames, ulpDistance as scalarDistance } from 'tpu-toolkit/formats'
import { ulpDistance } from 'tpu-toolkit/numerics'
import { fromBits, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe(`ulpDistance (seed ${seed})`, () => {
  it.each(formatNames)('ulpDistance of %s is the scalar one, for pairs of all codes', (dtype) => {
    const wide = dtype === 'bfloat16' || dtype === 'float16'
    const bits = tensor([0], { dtype }).toBits() instanceof Uint16Array ? 16 : 8
    const count = wide ? 2 ** bits : Number.parseInt(/float(\d)/.exec(dtype)![1]!, 10)
    const codes = Array.from({ length: wide ? count : 2 ** count }, (_, code) => code)
    const a = fromBits(codes, { dtype })
    // An odd stride visits every code once more, in another order.
    const b = fromBits(
      codes.map((code) => (code * 12_345 + 7) % codes.length),
      { dtype },
    )
    const x = a.toNumbers()
    const y = b.toNumbers()
    const expected = Array.from(x, (value, i) => scalarDistance(value, y[i]!, dtype))
    expect(Array.from(ulpDistance(a, b).toNumbers())).toEqual(expected)
  })

  it('ulpDistance of neighbours is 1 in float32 and float64, across binades and zero', () => {
    const pairs32 = [0x3f7fffff, 0x3f800000, 0x00000000, 0x00000001, 0x7f7ffffe, 0x7f7fffff]
    const at = (bits: number[]) => fromBits(Uint32Array.from(bits), { dtype: 'float32' })
    const even = at(pairs32.filter((_, i) => i % 2 === 0))
    const odd = at(pairs32.filter((_, i) => i % 2 === 1))
    expect(ulpDistance(even, odd).toNested()).toEqual([1, 1, 1])
    const doubles = BigUint64Array.of(0x3fefffffffffffffn, 0n, 0x8000000000000001n)
    const next = BigUint64Array.of(0x3ff0000000000000n, 1n, 1n)
    expect(
      ulpDistance(fromBits(doubles, { dtype: 'float64' }), fromBits(next, { dtype: 'float64' })).toNested(),
    ).toEqual([1, 1, 2])
  })

  it('ulpDistance is the difference of places: symmetric, and additive along the line', () => {
    const finite = fc.float({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(finite, finite, finite, (x, y, z) => {
        const [low, middle, high] = [x, y, z].sort((a, b) => a - b) as [number, number, number]
        const between = (a: number, b: number) => ulpDistance(tensor([a]), b).item()
        expect(between(low, high)).toBe(between(low, middle) + between(middle, high))
        expect(between(high, low)).toBe(between(low, high))
      }),
      { seed, numRuns: 500 },
    )
  })

  it('zeros are one place, NaN is near NaN, everything else far from what is not finite', () => {
    for (const dtype of ['bfloat16', 'float32', 'float64'] as const) {
      const a = tensor([0, Number.NaN, Number.NaN, Infinity, Infinity, Infinity], { dtype })
      const b = tensor([-0, Number.NaN, 1, Infinity, -Infinity, 1], { dtype })
      expect(ulpDistance(a, b).toNested()).toEqual([0, 0, Infinity, 0, Infinity, Infinity])
    }
  })

  it('a number is rounded to the dtype, shapes stay', () => {
    const x = tensor([[256], [258]], { dtype: 'bfloat16' })
    expect(ulpDistance(x, 257.1).toNested()).toEqual([[1], [0]])
    expect(ulpDistance(tensor(1), 1).shape).toEqual([])
  })

  it('mixed dtypes, integers and different shapes are refused', () => {
    const x = tensor([1], { dtype: 'bfloat16' })
    expect(() => ulpDistance(x, tensor([1]) as never)).toThrow(
      new TypeError('ulpDistance: dtypes differ, cast one of them [bfloat16 and float32]'),
    )
    expect(() => ulpDistance(tensor([1], { dtype: 'int32' }), 1)).toThrow(
      new TypeError('ulpDistance: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => ulpDistance(tensor([1]), tensor([1, 2]))).toThrow(
      new RangeError('ulpDistance: shapes differ [1 and 2]'),
    )
  })
})
