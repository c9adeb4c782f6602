import fc from 'fast-check'
import { decode, encode, format, formatNames } from 'tpu-toolkit/formats'
import { arange, fromBits, matmul, mul, reshape, sum, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe(`matmul (seed ${seed})`, () => {
  it('multiplies matrices, batches, rows and columns with the shapes of NumPy', () => {
    const a = reshape(arange(0, 6), [2, 3])
    expect(matmul(a, reshape(arange(0, 6), [3, 2])).toNested()).toEqual([
      [10, 13],
      [28, 40],
    ])
    expect(matmul(a, tensor([1, 1, 1])).toNested()).toEqual([3, 12])
    expect(matmul(tensor([1, 1]), a).toNested()).toEqual([3, 5, 7])
    expect(matmul(tensor([1, 2]), tensor([3, 4])).toNested()).toBe(11)
    const batched = reshape(arange(0, 24), [4, 1, 2, 3])
    expect(matmul(batched, zeros([5, 3, 2])).shape).toEqual([4, 5, 2, 2])
    expect(matmul(reshape(arange(0, 12), [2, 2, 3]), tensor([1, 1, 1])).toNested()).toEqual([
      [3, 12],
      [21, 30],
    ])
    expect(matmul(zeros([2, 0]), zeros([0, 3])).toNested()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(matmul(zeros([0, 2]), zeros([2, 3])).shape).toEqual([0, 3])
    expect(matmul(zeros([3, 0, 2]), zeros([2, 3])).shape).toEqual([3, 0, 3])
  })

  it.each(formatNames)(
    'of %s codes adds exact products in float32, k ascending, and rounds once',
    (dtype) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 0, max: 20 }),
          fc.integer({ min: 1, max: 19 }),
          fc.nat(),
          (m, k, n, start) => {
            const codes = (count: number, salt: number) =>
              Array.from(
                { length: count },
                (_, i) => Math.imul(start + i * 7919 + salt, 0x9e3779b1) >>> (32 - format(dtype).bits),
              )
            const a = fromBits(codes(m * k, 1), { dtype, shape: [m, k] })
            const b = fromBits(codes(k * n, 2), { dtype, shape: [k, n] })
            const got = matmul(a, b)
            for (let i = 0; i < m; i++) {
              for (let j = 0; j < n; j++) {
                let acc = 0
                for (let p = 0; p < k; p++) {
                  acc = Math.fround(
                    acc + decode(a.data[i * k + p]!, dtype) * decode(b.data[p * n + j]!, dtype),
                  )
                }
                expect(got.data[i * n + j]).toBe(encode(acc, dtype))
              }
            }
          },
        ),
        { seed, numRuns: 60 },
      )
    },
  )

  it('of float32 rounds every product and every sum to float32', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.float(), fc.float()), { maxLength: 30 }), (pairs) => {
        let acc = 0
        for (const [x, y] of pairs) acc = Math.fround(acc + Math.fround(x * y))
        const got = matmul(
          tensor(
            pairs.map(([x]) => x),
            { shape: [1, pairs.length] },
          ),
          tensor(
            pairs.map(([, y]) => y),
            { shape: [pairs.length, 1] },
          ),
        )
        expect(got.item()).toBe(acc)
      }),
      { seed },
    )
  })

  it('accumulated in the own dtype is mul, then sum, in every order', () => {
    const x = tensor(
      Float64Array.from({ length: 50 }, (_, i) => Math.sin(i)),
      { dtype: 'bfloat16' },
    )
    const y = tensor(
      Float64Array.from({ length: 50 }, (_, i) => Math.cos(i * i)),
      { dtype: 'bfloat16' },
    )
    for (const order of [
      'sequential',
      'pairwise',
      'kahan',
      'neumaier',
      'associative',
      { blocked: 16 },
      { windowed: 32 },
    ] as const) {
      expect(matmul(x, y, { accumulate: 'bfloat16', order }).item()).toBe(
        sum(mul(x, y), { accumulate: 'bfloat16', order }).item(),
      )
    }
  })

  it.each(['float64', 'float32', 'bfloat16', 'float16', 'float8_e5m2'] as const)(
    "matmul(a, b, { accumulate: 'float64' }) of %s adds products in float64, k ascending, and rounds once",
    (dtype) => {
      const draw = (start: number, size: number) =>
        Array.from({ length: size }, (_, i) => Math.tan(start + i * 1.7) * 2 ** ((i % 7) - 3))
      const a = tensor(draw(1, 2 * 9 * 21), { dtype, shape: [2, 9, 21] })
      const b = tensor(draw(2, 21 * 11), { dtype, shape: [21, 11] })
      const [x, y] = [a.toNumbers(), b.toNumbers()]
      const exact = Float64Array.from({ length: 2 * 9 * 11 }, (_, at) => {
        let sum = 0
        for (let p = 0; p < 21; p++) sum += x[Math.floor(at / 11) * 21 + p]! * y[p * 11 + (at % 11)]!
        return sum
      })
      const expected = tensor(exact, { dtype, shape: [2, 9, 11] })
      expect(matmul(a, b, { accumulate: 'float64' }).toBits()).toEqual(expected.toBits())
      const out = zeros([2, 9, 11], { dtype })
      expect(matmul(a, b, { accumulate: 'float64', out })).toBe(out)
      expect(out.toBits()).toEqual(expected.toBits())
    },
  )

  it.each(['int32', 'uint32'] as const)('of %s wraps, batch by batch', (dtype) => {
    const draw = (start: number, size: number) =>
      Array.from({ length: size }, (_, i) => Math.imul(start + i, 0x9e3779b1) >>> (dtype === 'int32' ? 1 : 0))
    const a = tensor(draw(1, 2 * 3 * 5), { dtype, shape: [2, 3, 5] })
    const b = tensor(draw(2, 5 * 4), { dtype, shape: [5, 4] })
    const expected = Array.from({ length: 24 }, (_, at) => {
      let sum = 0n
      for (let p = 0; p < 5; p++) {
        sum += BigInt(a.data[Math.floor(at / 4) * 5 + p]!) * BigInt(b.data[p * 4 + (at % 4)]!)
      }
      return Number(dtype === 'int32' ? BigInt.asIntN(32, sum) : BigInt.asUintN(32, sum))
    })
    expect([...matmul(a, b).data]).toEqual(expected)
  })

  it('of float64 stays in float64, of int32 wraps', () => {
    expect(
      matmul(tensor([[1, 2 ** -40]], { dtype: 'float64' }), tensor([[1], [1]], { dtype: 'float64' })).item(),
    ).toBe(1 + 2 ** -40)
    expect(matmul(tensor([[65536]], { dtype: 'int32' }), tensor([[65536]], { dtype: 'int32' })).item()).toBe(
      0,
    )
  })

  it('Inf * 0 is the canonical NaN', () => {
    expect([...matmul(tensor([[Infinity]]), tensor([[0]])).toBits()]).toEqual([0x7fc00000])
    expect([
      ...matmul(tensor([[Infinity]], { dtype: 'bfloat16' }), tensor([[0]], { dtype: 'bfloat16' })).toBits(),
    ]).toEqual([0x7fc0])
  })

  it('writes into out, matrix or vector, but not over an operand', () => {
    const a = reshape(arange(0, 4), [2, 2])
    const out = zeros([2])
    expect(matmul(a, tensor([1, 1]), { out })).toBe(out)
    expect(out.toNested()).toEqual([1, 5])
    expect(() => matmul(a, a, { out: a })).toThrow(
      new RangeError('matmul: out shares memory with an operand [2, 2]'),
    )
    expect(() => matmul(a, tensor([1, 1]), { out: zeros([3]) })).toThrow(
      new RangeError('matmul: out has another shape [3, not 2]'),
    )
  })

  it('refuses shapes that do not chain, scalars and mixed dtypes', () => {
    expect(() => matmul(zeros([4, 8]), zeros([16, 2]))).toThrow(
      new RangeError('matmul: inner dimensions differ [4, 8] x [16, 2]'),
    )
    expect(() => matmul(tensor(1), tensor([1]))).toThrow(
      new RangeError('matmul: needs one dimension or more [] x [1]'),
    )
    expect(() => matmul(zeros([1]), zeros([1], { dtype: 'float16' }) as never)).toThrow(TypeError)
    expect(() => matmul(zeros([2, 1, 1]), zeros([3, 1, 1]))).toThrow(
      new RangeError('matmul: shapes do not broadcast [2] and [3]'),
    )
  })
})
