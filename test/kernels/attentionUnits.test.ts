import { grad } from 'tpu-toolkit/autodiff'
import { attention, causalMask, flashAttention, gemm } from 'tpu-toolkit/kernels'
import { attention as attentionLayer, linear } from 'tpu-toolkit/nn'
import { certify } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { cast, matmul, matrixTranspose, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const drawn = (number: number, shape: readonly number[]): Tensor<'bfloat16'> =>
  cast(normal(key(number), shape), 'bfloat16')
const [q, k, v] = [drawn(1, [2, 24, 16]), drawn(2, [2, 40, 16]), drawn(3, [2, 40, 16])]
const bits = (x: Tensor): unknown => Array.from(x.toBits() as Uint32Array)

describe('flashAttention({ unit })', () => {
  it('one key: the logit is the unit’s product', () => {
    const one = drawn(4, [1, 1, 16])
    for (const unit of ['v100', 'a100', 'h100', 'mi300'] as const) {
      const dtype = unit === 'v100' ? 'float16' : 'bfloat16'
      const [a, b] = [cast(drawn(5, [1, 6, 16]), dtype), cast(one, dtype)]
      const { max } = flashAttention(a, b, b, { unit, scale: 1 })
      const logits = gemm(a, matrixTranspose(b), { unit, out: 'float32' })
      expect(max.toNested()).toEqual([(logits.toNested() as number[][][])[0]!.map(([x]) => x)])
    }
  })

  it('logsumexp and output differ from exact products, by little', () => {
    const options = { mask: causalMask({ offset: 16 }), blockQ: 8, blockK: 16 }
    const plain = flashAttention(q, k, v, options)
    const unit = flashAttention(q, k, v, { ...options, unit: 'h100' })
    expect(bits(unit.logsumexp)).not.toEqual(bits(plain.logsumexp))
    const other = plain.out32.toNumbers()
    for (const [i, x] of unit.out32.toNumbers().entries()) expect(Math.abs(x - other[i]!)).toBeLessThan(0.02)
  })

  it('its gradient has products of the unit, near the plain one', () => {
    const [a, b, c] = [q, k, v].map((x) => mul(cast(x, 'float32'), 1.1)) as Tensor<'float32'>[]
    const loss = (more: object) => (x: Tensor<'float32'>) =>
      sum(mul(flashAttention(x, b!, c!, more).out, cast(drawn(6, [2, 24, 16]), 'float32')))
    const [byUnit, plain] = [{ unit: 'a100', input: 'tf32' }, {}].map((more) => grad(loss(more))(a!))
    expect(bits(byUnit!)).not.toEqual(bits(plain!))
    const other = plain!.toNumbers()
    for (const [i, x] of byUnit!.toNumbers().entries()) expect(Math.abs(x - other[i]!)).toBeLessThan(0.02)
  })

  it('certify bounds its error', () => {
    const f = ([a, b, c]: readonly Tensor[]) =>
      flashAttention(a as Tensor<'bfloat16'>, b as Tensor<'bfloat16'>, c as Tensor<'bfloat16'>, {
        unit: 'h100',
      }).out
    const { results, bounds, unknown } = certify(f, [q, k, v], { check: false })
    const exact = attention(cast(q, 'float64'), cast(k, 'float64'), cast(v, 'float64')).out.toNumbers()
    const [result, bound] = [results[0]!.toNumbers(), bounds[0]!.toNumbers()]
    expect(unknown).toEqual([])
    for (const [i, x] of exact.entries()) expect(Math.abs(result[i]! - x)).toBeLessThanOrEqual(bound[i]!)
    expect(Math.max(...bound)).toBeLessThan(0.05)
  })

  it.each([
    [
      () => flashAttention(q, k, v, { unit: 'h100', form: 'splash' }),
      'flashAttention: form splash has no unit [h100]',
    ],
    [() => flashAttention(q, k, v, { input: 'tf32' }), 'flashAttention: input is of a unit, name one [tf32]'],
    [
      () => flashAttention(q, k, v, { unit: 'v100' }),
      'flashAttention: v100 takes no bfloat16, it takes float16 [bfloat16]',
    ],
  ])('%#', (call, text) => {
    expect(call).toThrow(text)
  })
})

describe('policy.unit', () => {
  it('a linear layer is gemm of the unit, its output in the policy’s dtype', () => {
    const policy = { compute: 'bfloat16', output: 'float32', unit: 'h100', promote: 16 } as const
    const layer = linear({ inputs: 48, outputs: 8, bias: false, policy })
    const params = layer.init(key(7))
    const x = drawn(8, [5, 48])
    const made = gemm(x, cast(params.weight, 'bfloat16'), { unit: 'h100', promote: 16, out: 'float32' })
    expect(bits(layer.apply(params, x))).toEqual(bits(made))
    expect(bits(made)).not.toEqual(
      bits(matmul(cast(x, 'float32'), cast(cast(params.weight, 'bfloat16'), 'float32'))),
    )
  })

  it('an attention layer gives its unit to flashAttention; kernel whole has none', () => {
    const policy = { compute: 'bfloat16', unit: 'a100' } as const
    const layer = attentionLayer({ features: 16, heads: 2, policy })
    expect(layer.apply(layer.init(key(9)), drawn(10, [1, 6, 16])).shape).toEqual([1, 6, 16])
    expect(() => attentionLayer({ features: 16, heads: 2, policy, kernel: 'whole' })).toThrow(
      'attention: kernel whole has no unit [a100]',
    )
  })

  it('refuses a unit that does not take the dtype when the layer is made', () => {
    expect(() => linear({ inputs: 2, outputs: 2, policy: { compute: 'bfloat16', unit: 'v100' } })).toThrow(
      'gemm: v100 takes no bfloat16, it takes float16 [bfloat16]',
    )
    expect(() => linear({ inputs: 2, outputs: 2, policy: { unit: 'h100' } })).toThrow("say input: 'tf32'")
    expect(tensor([1]).dtype).toBe('float32')
  })
})
