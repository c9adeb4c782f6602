import fc from 'fast-check'
import { checkGrads, grad, jvp, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { certify } from 'tpu-toolkit/precision'
import { bits, key, normal } from 'tpu-toolkit/random'
import { cast, hadamard, mul, sub, sum, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../../support/seed.js'

/** By definition: entry (i, j) is -1 where i and j share an odd number of bits. */
const naive = (x: readonly number[]): number[] =>
  x.map((_, i) => {
    const signOf = (j: number): number => (bitsOf(i & j) % 2 === 0 ? 1 : -1)
    return x.reduce((total, value, j) => total + signOf(j) * value, 0) / Math.sqrt(x.length)
  })
const bitsOf = (n: number): number => n.toString(2).replaceAll('0', '').length

describe('hadamard(x, { size, signs })', () => {
  it('is the matrix by definition, on integers', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(1, 4, 16, 64)
          .chain((size) =>
            fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: size, maxLength: size }),
          ),
        (values) => {
          const y = hadamard(tensor(values), { size: values.length }).toNumbers()
          expect(Array.from(y, (value) => value + 0)).toEqual(naive(values).map((value) => value + 0))
        },
      ),
    )
  })

  it.each(['float32', 'bfloat16', 'float16', 'float8_e5m2'] as const)(
    'of %s has the same bits along the last axis, by WebAssembly, as along another, for any bits',
    (dtype) => {
      const any = fc.integer({ min: 0, max: 0xffffffff })
      const alike = any.map((word) => ((word & 0x83ffffff) | 0x3c000000) >>> 0)
      const far = any.map((word) => (word & 0xbfffffff) >>> 0)
      const lists = fc.oneof(
        ...[any, alike, far].map((one) => fc.array(one, { minLength: 128, maxLength: 128 })),
      )
      const signs = fc.constantFrom(undefined, key(9))
      fc.assert(
        fc.property(lists, fc.constantFrom(4, 16, 64), signs, fc.boolean(), (words, size, by, inverse) => {
          const values = new Float32Array(Uint32Array.from(words).buffer)
          const x = cast(tensor(values, { shape: [2, 64] }), dtype)
          const how = { size, inverse, ...(by && { signs: by }) }
          const across = hadamard(transpose(x), { ...how, axis: 0 })
          expect(hadamard(x, how).toBits()).toEqual(transpose(across).toBits())
        }),
        { seed, numRuns: 300 },
      )
    },
  )

  it('of a block with a NaN and numbers far apart is NaN', () => {
    for (const axis of [0, 1]) {
      const x = tensor([Number.NaN, 1e30, 1e-30, 1], { shape: axis === 0 ? [4, 1] : [1, 4] })
      expect([...hadamard(x, { axis, size: 4 }).toNumbers()]).toEqual(Array(4).fill(Number.NaN))
    }
  })

  it('transforms along any axis, block by block', () => {
    const x = tensor(normal(key(1), 4 * 32 * 3), { shape: [4, 32, 3] })
    const along = hadamard(transpose(x, [0, 2, 1]), { size: 8 })
    expect(hadamard(x, { axis: 1, size: 8 })).toEqual(transpose(along, [0, 2, 1]))
  })

  it('has the signs of the words of a key, and inverts itself', () => {
    const x = tensor([3, 1, 4, 1, 5, 9, 2, 6], { dtype: 'bfloat16' })
    const signs = Array.from(bits(key(5), 4), (word) => ((word | 0) < 0 ? -1 : 1))
    expect(signs).toContain(-1)
    const y = hadamard(x, { size: 4, signs: key(5) })
    expect(y).toEqual(hadamard(x, { size: 4, signs }))
    expect(hadamard(y, { size: 4, signs: key(5), inverse: true })).toEqual(x)
  })

  it('has the transposed transform for a gradient, and itself for a tangent', () => {
    const [x, g] = [tensor(normal(key(1), 32)), tensor(normal(key(2), 32))]
    const f = (y: Tensor): Tensor => hadamard(y, { size: 8, signs: key(3) })
    const slope = grad((y: Tensor) => sum(mul(f(y), g)))(x)
    expect(slope).toEqual(hadamard(g, { size: 8, signs: key(3), inverse: true }))
    expect((jvp(f, [x], [g]) as unknown as Tensor[])[1]).toEqual(f(g))
    checkGrads((y: Tensor) => sum(mul(f(y), f(y))), [cast(x, 'float64')])
  })

  it('is the same compiled and in vmap', () => {
    const x = tensor(normal(key(1), 4 * 32), { shape: [4, 32], dtype: 'float32' })
    const f = (y: Tensor): Tensor => hadamard(mul(y, 2), { signs: key(1) })
    expect(compile(f)(x)).toEqual(f(x))
    expect(vmap(f)(x)).toEqual(f(x))
    expect(vmap((y: Tensor) => hadamard(y, { axis: 0 }))(x)).toEqual(hadamard(x))
  })

  it('spreads NaN and infinities over their block alone', () => {
    const nan = hadamard(tensor([Number.NaN, 1, 1, 1, 2, 0, 0, 0]), { size: 4 }).toNested()
    expect(nan).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, 1, 1, 1, 1])
    const infinite = hadamard(tensor([Infinity, 1, Infinity, 1]), { size: 4 }).toNested()
    expect(infinite).toEqual([Infinity, Infinity, Number.NaN, Number.NaN])
    expect(hadamard(tensor([], { shape: [0, 16] })).shape).toEqual([0, 16])
  })

  it('is certified within its bound', () => {
    for (const dtype of ['bfloat16', 'float32'] as const) {
      const x = cast(tensor(normal(key(1), 64)), dtype)
      const { bounds, unknown, results } = certify(
        ([y]: readonly Tensor[]) => hadamard(y!, { size: 32 }),
        [x],
      )
      const exact = hadamard(cast(x, 'float64'), { size: 32 })
      const errors = sub(cast(results[0]!, 'float64'), exact).toNumbers()
      const within = Array.from(errors, (error, i) => Math.abs(error) <= bounds[0]!.data[i]!)
      expect([unknown, within.every(Boolean), bounds[0]!.data[0]! < 2 ** -6]).toEqual([[], true, true])
    }
  })

  it('says what is wrong', () => {
    const x = tensor(new Float32Array(16))
    expect(() => hadamard(x, { size: 12 })).toThrow(new RangeError('hadamard: size is no power of two [12]'))
    expect(() => hadamard(tensor(new Float32Array(20)))).toThrow('blocks of 16 do not divide axis 0')
    expect(() => hadamard(x, { size: 2, signs: [1, 0] })).toThrow('signs are not 2 numbers 1 and -1 [1, 0]')
    expect(() => hadamard(x, { signs: 3 as never })).toThrow('hadamard: not a key')
    expect(() => hadamard(tensor([1, 2], { dtype: 'int32' }), { size: 2 })).toThrow(TypeError)
  })
})
