import { variance } from 'tpu-toolkit/numerics'
import { seeded } from 'tpu-toolkit/random'
import { cast, reshape, slice, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { bfloat16, hexOf, readKey } from '../support/reductionKeys.js'
import { seed } from '../support/seed.js'

const methods = ['two-pass', 'one-pass', 'welford'] as const

describe(`variance (seed ${seed})`, () => {
  it('one-pass bfloat16 variance goes negative at offset 100, the other two do not', () => {
    const { cases } = readKey<{ cases: { n: number; offset: number; x: string }[] }>('normalisers')
    const far = cases.filter(({ n, offset }) => offset === 100 && n >= 7).map(({ x }) => bfloat16(x))
    const of = (method: (typeof methods)[number]) =>
      far.map((x) => variance(x, { method, accumulate: 'bfloat16' }).item())
    expect(Math.min(...of('one-pass'))).toBeLessThan(0)
    expect(Math.min(...of('two-pass'))).toBeGreaterThan(0)
    expect(Math.min(...of('welford'))).toBeGreaterThanOrEqual(0)
    for (const x of far) {
      const wide = variance(x, { method: 'one-pass', internal: 'float32' })
      expect(wide.item()).toBeGreaterThan(0)
      expect(variance(x, { method: 'one-pass' }).toBits()).toEqual(wide.toBits())
    }
  })

  it('each method keeps its first-order error in float32', () => {
    const random = seeded(`variance ${seed}`)
    const u = 2 ** -24
    for (const n of [2, 10, 100, 1000]) {
      for (const offset of [0, 1, 30, 1000]) {
        const x = tensor(Float64Array.from({ length: n }, () => offset + random() * 2 - 1))
        const values = x.toNumbers()
        const mean = values.reduce((s, v) => s + v / n, 0)
        const exact = values.reduce((s, v) => s + (v - mean) ** 2 / n, 0)
        const kappa = Math.sqrt(1 + mean ** 2 / exact)
        const relative = (method: (typeof methods)[number]) =>
          Math.abs(variance(x, { method }).item() - exact) / exact
        const where = `n = ${n}, offset ${offset}`
        expect(relative('two-pass'), where).toBeLessThanOrEqual(((n + 4) * u + (n * u * kappa) ** 2) * 1.01)
        expect(relative('one-pass'), where).toBeLessThanOrEqual(3 * (n + 2) * u * kappa ** 2 * 1.01)
        expect(relative('welford'), where).toBeLessThanOrEqual(3 * (n + 2) * u * kappa)
      }
    }
  })

  it.each(methods)('%s is exact where nothing is rounded, along any axis', (method) => {
    const x = tensor([
      [1, 3],
      [5, 9],
    ])
    expect(variance(x, { method, axis: 0 }).toNested()).toEqual([4, 9])
    expect(variance(x, { method, axis: -1 }).toNested()).toEqual([1, 4])
    expect(variance(x, { method, axis: 1, keepDims: true }).toNested()).toEqual([[1], [4]])
    expect(variance(tensor([1, 3]), { method, keepDims: true }).shape).toEqual([1])
    expect(variance(reshape(x, [1, 2, 2]), { method, axis: 1 }).toNested()).toEqual([[4, 9]])
  })

  it.each(methods)('%s of one element is 0, of none NaN, with NaN or Inf NaN', (method) => {
    expect(variance(tensor([7]), { method }).item()).toBe(0)
    expect(variance(tensor(7), { method }).item()).toBe(0)
    expect(variance(tensor([]), { method }).item()).toBe(Number.NaN)
    expect(variance(tensor([], { shape: [0, 2] }), { method, axis: 0 }).toNested()).toEqual([
      Number.NaN,
      Number.NaN,
    ])
    expect(variance(tensor([1, Number.NaN]), { method }).item()).toBe(Number.NaN)
    expect(variance(tensor([1, Infinity]), { method }).item()).toBe(Number.NaN)
  })

  it('columns are independent of each other', () => {
    const random = seeded(`columns ${seed}`)
    const x = tensor(Float64Array.from({ length: 60 }, random), { shape: [20, 3], dtype: 'bfloat16' })
    for (const method of methods) {
      for (const internal of ['bfloat16', 'float32'] as const) {
        const whole = variance(x, { method, internal, axis: 0 })
        const column = variance(slice(x, [null, 1]), { method, internal })
        expect(hexOf(slice(whole, [[1, 2]]))).toBe(hexOf(reshape(column, [1])))
      }
    }
  })

  it('divides by the exact count: 257 is not a bfloat16', () => {
    const x = tensor(
      Float64Array.from({ length: 257 }, (_, i) => (i === 0 ? 257 : 0)),
      { dtype: 'float32' },
    )
    // Mean 1, squares 256^2 + 256, by 257: 256.
    for (const method of methods) expect(variance(x, { method }).item()).toBeCloseTo(256, 3)
    expect(variance(cast(x, 'bfloat16'), { method: 'one-pass' }).item()).toBe(254)
  })

  it('refuses integers, unknown methods and axes', () => {
    expect(() => variance(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('variance: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => variance(tensor([1]), { method: 'three-pass' as never })).toThrow(
      new RangeError('variance: unknown method, did you mean two-pass [three-pass]'),
    )
    for (const method of methods) expect(() => variance(tensor([1]), { method, axis: 1 })).toThrow(RangeError)
  })
})
