import fc from 'fast-check'
import { decode, encode, type FormatName, format, formatNames } from 'tpu-toolkit/formats'
import {
  add,
  atan2,
  type DType,
  div,
  fromBits,
  maximum,
  minimum,
  mul,
  pow,
  sub,
  type Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const exact = {
  add: (a: number, b: number) => a + b,
  sub: (a: number, b: number) => a - b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => a / b,
  minimum: Math.min,
  maximum: Math.max,
}
const operations = { add, sub, mul, div, minimum, maximum }
const names = Object.keys(exact) as (keyof typeof exact)[]

describe(`elementwise arithmetic (seed ${seed})`, () => {
  it.each(names)('%s rounds the exact result once, in every format, for random codes', (name) => {
    fc.assert(
      fc.property(
        fc.constantFrom<FormatName>(...formatNames),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        (dtype, n, start) => {
          const codes = (salt: number): number[] =>
            Array.from(
              { length: n },
              (_, i) => Math.imul(start + i * 7919 + salt, 0x9e3779b1) >>> (32 - format(dtype).bits),
            )
          const a = fromBits(codes(1), { dtype })
          const b = fromBits(codes(2), { dtype })
          const expected = Array.from(a.data, (code, i) =>
            encode(exact[name](decode(code, dtype), decode(b.data[i]!, dtype)), dtype),
          )
          expect([...operations[name](a, b).data]).toEqual(expected)
        },
      ),
      { seed, numRuns: 300 },
    )
  })

  it.each(names)('%s of float32 equals Math.fround of the float64 result, NaN canonical', (name) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { maxLength: 40 }), (pairs) => {
        const a = fromBits(
          Uint32Array.from(pairs, ([x]) => x),
          { dtype: 'float32' },
        )
        const b = fromBits(
          Uint32Array.from(pairs, ([, y]) => y),
          { dtype: 'float32' },
        )
        const got = operations[name](a, b)
        const bits = got.toBits()
        for (const [i, value] of [...got.data].entries()) {
          const want = Math.fround(exact[name](a.data[i]!, b.data[i]!))
          expect(value).toBe(want)
          if (Number.isNaN(want)) expect(bits[i]).toBe(0x7fc00000)
        }
      }),
      { seed },
    )
  })

  it('add(Inf, -Inf) is the canonical NaN in float32, float64 and bfloat16', () => {
    const bits = (dtype: DType) => [
      ...add(tensor([Infinity], { dtype }), tensor([-Infinity], { dtype })).toBits(),
    ]
    expect(bits('float32')).toEqual([0x7fc00000])
    expect(bits('float64')).toEqual([0x7ff8000000000000n])
    expect(bits('bfloat16')).toEqual([0x7fc0])
  })

  it('mul and add of int32 and uint32 wrap', () => {
    const big = tensor([2 ** 31 - 1, -(2 ** 31)], { dtype: 'int32' })
    expect(add(big, 1).toNested()).toEqual([-(2 ** 31), -(2 ** 31) + 1])
    expect(mul(big, big).toNested()).toEqual([1, 0])
    expect(sub(tensor([0], { dtype: 'uint32' }), 1).toNested()).toEqual([2 ** 32 - 1])
    expect(mul(tensor([2 ** 32 - 1], { dtype: 'uint32' }), 2 ** 32 - 1).toNested()).toEqual([1])
  })

  it('add(x, 0.999) rounds the number to the dtype of x first', () => {
    expect(sub(tensor([1], { dtype: 'bfloat16' }), 0.999).item()).toBe(0)
    expect(mul(2, tensor([3])).item()).toBe(6)
  })

  it('minimum and maximum order zeros and let NaN win', () => {
    expect(Object.is(minimum(tensor([0]), -0).item(), -0)).toBe(true)
    expect(Object.is(maximum(tensor([-0], { dtype: 'bfloat16' }), 0).item(), 0)).toBe(true)
    expect(maximum(tensor([Number.NaN]), 1).item()).toBeNaN()
  })

  it('pow follows IEEE 754 at 1, -1 and 0 and multiplies integers', () => {
    expect(pow(tensor([1, -1, Number.NaN, 2]), tensor([Number.NaN, Infinity, 0, -1])).toNested()).toEqual([
      1, 1, 1, 0.5,
    ])
    expect(pow(tensor([3, -2], { dtype: 'int32' }), tensor([4, 31], { dtype: 'int32' })).toNested()).toEqual([
      81,
      -(2 ** 31),
    ])
    expect(() => pow(tensor([3], { dtype: 'int32' }), -1)).toThrow(
      new RangeError('pow: integers take no negative exponent, cast first [-1]'),
    )
  })

  it('atan2 gives the quadrant', () => {
    expect(atan2(tensor([1, -1]), tensor([-1, -1])).toNested()).toEqual([
      Math.fround(0.75 * Math.PI),
      Math.fround(-0.75 * Math.PI),
    ])
  })
})

describe('broadcasting', () => {
  it.each([
    [[2, 3], [3]],
    [
      [2, 1, 4],
      [3, 1],
    ],
    [[], [2, 2]],
    [
      [5, 1],
      [1, 6],
    ],
    [[1, 20], [20]],
    [
      [2, 3, 40],
      [3, 40],
    ],
    [[0, 3], [3]],
    [[3, 1], [0]],
    [
      [4, 1, 1, 2],
      [3, 1, 1],
    ],
  ])('add of %j and %j reads each operand along its own axes, as NumPy', (shapeA, shapeB) => {
    for (const dtype of ['float32', 'bfloat16', 'int32', 'float16'] as const) {
      const count = (shape: number[]) => shape.reduce((n, length) => n * length, 1)
      const a = tensor(
        Array.from({ length: count(shapeA) }, (_, i) => i % 100),
        { shape: shapeA, dtype },
      )
      const b = tensor(
        Array.from({ length: count(shapeB) }, (_, i) => 3 * (i % 40)),
        { shape: shapeB, dtype },
      )
      const got = add(a, b)
      const rank = Math.max(shapeA.length, shapeB.length)
      const at = (t: Tensor, index: number[]): number => {
        const own = index.slice(rank - t.rank).map((i, axis) => (t.shape[axis] === 1 ? 0 : i))
        return t.toNumbers()[own.reduce((offset, i, axis) => offset * t.shape[axis]! + i, 0)]!
      }
      const values = got.toNumbers()
      values.forEach((value, flat) => {
        const index: number[] = []
        for (let axis = rank - 1, rest = flat; axis >= 0; axis--) {
          index.unshift(rest % got.shape[axis]!)
          rest = Math.floor(rest / got.shape[axis]!)
        }
        const whole = at(a, index) + at(b, index)
        expect(value).toBe(dtype === 'int32' ? whole : tensor([whole], { dtype }).item())
      })
    }
  })

  it('add writes into out, which may be an operand', () => {
    const x = tensor([1, 2, 3], { dtype: 'bfloat16' })
    expect(add(x, x, { out: x })).toBe(x)
    expect(x.toNested()).toEqual([2, 4, 6])
  })

  it('errors name the operation, the problem and the values', () => {
    const x = tensor([1, 2, 3])
    expect(() => add(x, tensor([1, 2]))).toThrow(new RangeError('add: shapes do not broadcast [3] and [2]'))
    expect(() => mul(x, tensor([1], { dtype: 'bfloat16' }) as never)).toThrow(
      new TypeError('mul: dtypes differ, cast one of them [float32 and bfloat16]'),
    )
    expect(() => div(tensor([1], { dtype: 'int32' }), 2)).toThrow(
      new TypeError('div: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => add(tensor([1], { dtype: 'int32' }), 0.5)).toThrow(
      new RangeError('add: int32 cannot hold this number, cast the tensor first [0.5]'),
    )
    expect(() => add(tensor([true], { dtype: 'bool' }), true as never)).toThrow(TypeError)
    expect(() => add(1, 2)).toThrow(new TypeError('add: needs a tensor among its operands [1, 2]'))
    expect(() => add(x, 1, { out: tensor([1, 2]) })).toThrow(
      new RangeError('add: out has another shape [2, not 3]'),
    )
    expect(() => add(x, 1, { out: tensor([1, 2, 3], { dtype: 'float16' }) as never })).toThrow(
      new TypeError('add: out has another dtype [float16, not float32]'),
    )
  })
})

const bfloat16Dtype = { dtype: 'bfloat16' } as const
const at = (x: Tensor<'bfloat16'>, place: number): Tensor<'bfloat16'> =>
  fromBits([x.data[place]!], { shape: [], dtype: 'bfloat16' })

describe('bfloat16 arithmetic', () => {
  it('gives the same codes for a run of any length, at the start of its storage or inside', () => {
    for (const n of [1, 15, 16, 31, 32, 33, 129]) {
      const a = tensor(
        Float64Array.from({ length: 3 * n }, (_, i) => 1 + 0.37 * i),
        { shape: [3, n], ...bfloat16Dtype },
      )
      const b = tensor(
        Float64Array.from({ length: n }, (_, i) => 2 - 0.11 * i),
        bfloat16Dtype,
      )
      const column = tensor([3, 0.3, -7], { shape: [3, 1], ...bfloat16Dtype })
      for (const operation of [add, sub, mul, div, minimum, maximum]) {
        const whole = operation(operation(a, b), column).toBits()
        for (let row = 0; row < 3; row++) {
          for (let i = 0; i < n; i++) {
            const one = operation(operation(at(a, row * n + i), at(b, i)), at(column, row))
            expect(one.toBits()[0]).toBe(whole[row * n + i])
          }
        }
      }
    }
  })
})
