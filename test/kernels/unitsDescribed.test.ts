import { grad } from 'tpu-toolkit/autodiff'
import { defineUnit, unitDot, units } from 'tpu-toolkit/kernels'
import { shadow } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { cast, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const unit = 'b200-block-scaled'
const e8m0 = (values: number[][]): Tensor => tensor(values, { dtype: 'float8_e8m0fnu' })

describe('unitDot with block scales', () => {
  it('unitDot of one block is 2 to the scales times the sum without them', () => {
    const [x, y] = [1, 2].map((n) => cast(normal(key(n), [5, 32]), 'float8_e4m3fn'))
    const { scaled: _, ...rule } = units[unit].rules.float8_e4m3fn!.float32!
    const bare = defineUnit({ ...units[unit], rules: { float8_e4m3fn: { float32: rule } } })
    const scales = { a: e8m0([[8], [8], [8], [8], [8]]), b: e8m0([[0.25], [0.25], [0.25], [0.25], [0.25]]) }
    expect(unitDot(x!, y!, { unit, scales }).toBits()).toEqual(
      mul(unitDot(x!, y!, { unit: bare }), 2).toBits(),
    )
  })

  it('unitDot of several blocks weighs each: integers are exact, of 8, 6 and 4 bits', () => {
    const k = 64
    const numbers = Array.from({ length: k }, (_, i) => (i % 5) - 2)
    const want = (weights: readonly number[]): number =>
      numbers.reduce((total, x, i) => total + x * x * weights[Math.floor((i * weights.length) / k)]!, 0)
    for (const dtype of [
      'float8_e4m3fn',
      'float8_e5m2',
      'float6_e2m3fn',
      'float6_e3m2fn',
      'float4_e2m1fn',
    ] as const) {
      const x = tensor([numbers], { dtype })
      const scales = { a: e8m0([[4, 0.5]]), b: e8m0([[2, 8]]) }
      expect(unitDot(x, x, { unit, scales }).item()).toBe(want([8, 4]))
    }
    const x = tensor([numbers], { dtype: 'float4_e2m1fn' })
    const nvfp4 = (values: number[][]): Tensor => tensor(values, { dtype: 'float8_e4m3fn' })
    const scales = { a: nvfp4([[1.5, 2, 3, 448]]), b: nvfp4([[2, 1, 1.25, 1]]) }
    expect(unitDot(x, x, { unit, scales, c: tensor([1]) }).item()).toBe(1 + want([3, 2, 3.75, 448]))
  })

  it('shadow and grad of unitDot know the scales', () => {
    const x = tensor([Array.from({ length: 32 }, (_, i) => (i % 3) + 1)], { dtype: 'float8_e4m3fn' })
    const scales = { a: e8m0([[4]]), b: e8m0([[2]]) }
    const beside = shadow(
      ([a, b]: readonly Tensor[]) => unitDot(a as typeof x, b as typeof x, { unit, scales }),
      [x, x],
      {
        check: false,
      },
    )
    expect(beside.outputs()[0]!.max).toBe(0)
    const slope = grad((a: typeof x) => sum(unitDot(a, x, { unit, scales })))(x)
    expect(slope.toNumbers()).toEqual(mul(cast(x, 'float32'), 8).toNumbers())
  })

  it('unitDot says what is wrong with scales', () => {
    const x = tensor([Array.from({ length: 32 }, () => 1)], { dtype: 'float8_e4m3fn' })
    expect(() => unitDot(x, x, { unit })).toThrow(
      'unitDot: b200-block-scaled needs scales, { a, b } [undefined]',
    )
    const scales = { a: e8m0([[1, 1]]), b: e8m0([[1, 1]]) }
    expect(() => unitDot(x, x, { unit, scales })).toThrow(
      'unitDot: scales are not one for 32 elements [1, 2]',
    )
    expect(() => unitDot(x, x, { unit: 'h100', scales })).toThrow('unitDot: h100 takes no scales [scales]')
    const wide = { a: tensor([[1]]), b: tensor([[1]]) }
    expect(() => unitDot(x, x, { unit, scales: wide })).toThrow(
      'unitDot: scales are float8_e8m0fnu [float32]',
    )
  })
})

describe('unitDot on CDNA 2', () => {
  const row = (values: number[]): Tensor<'float16'> => tensor([values], { dtype: 'float16' })
  it('unitDot adds four products as a tree of float32 sums', () => {
    // Added one after another, both ones would be ties that go to the even 2^24.
    expect(unitDot(row([4096, 1, 1, 1]), row([4096, 1, 1, 1]), { unit: 'mi200' }).item()).toBe(2 ** 24 + 2)
    // The second group's 1 is added to 2^24 + 2: a tie that goes to the even 2^24 + 4.
    const five = row([1, 1, 4096, 1, 1])
    expect(unitDot(five, five, { unit: 'mi200' }).item()).toBe(2 ** 24 + 4)
  })

  it('unitDot takes subnormal operands as 0, and keeps those that are normal', () => {
    expect(unitDot(row([2 ** -15, 2 ** -14]), row([1, 1]), { unit: 'mi200' }).item()).toBe(2 ** -14)
    const c = tensor([2 ** -130])
    expect(unitDot(row([0]), row([0]), { unit: 'mi200', c }).item()).toBe(0)
    expect(unitDot(row([Infinity, 1]), row([0, 1]), { unit: 'mi200' }).item()).toBeNaN()
  })
})
