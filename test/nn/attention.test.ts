import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as kernels from 'tpu-toolkit/kernels'
import { parameterTensors } from 'tpu-toolkit/model'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { cast, mean, reshape, square, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const sizes = { features: 12, heads: 4, kvHeads: 2, headFeatures: 6 }
const rope = kernels.ropeFrequencies({ dim: 6, dtype: 'float64' })
const mask = kernels.causalMask()
const x = tensor(normal(keyOf(2), 60), { shape: [5, 12], dtype: 'float64' })

/** Causal grouped attention with turned pairs, written out in float64. */
function plain(params: nn.AttentionParameters): number[] {
  const rows = x.toNested() as number[][]
  const projected = (weight: Tensor): number[][] => {
    const w = weight.toNested() as number[][]
    return rows.map((row) => w[0]!.map((_, o) => row.reduce((total, v, i) => total + v * w[i]![o]!, 0)))
  }
  const turned = (row: readonly number[], at: number): number[] => {
    const half = row.length / 2
    const angle = (i: number): number => at * 10000 ** ((-2 * i) / row.length)
    return row.map((v, i) => {
      const a = angle(i % half)
      const other = row[(i + half) % row.length]!
      return i < half ? v * Math.cos(a) - other * Math.sin(a) : v * Math.cos(a) + other * Math.sin(a)
    })
  }
  const [q, k, v] = [params.query, params.key, params.value].map(({ weight }) => projected(weight))
  const out = params.out.weight.toNested() as number[][]
  return rows.flatMap((_, t) => {
    const heads = [0, 1, 2, 3].flatMap((head) => {
      const part = (row: readonly number[], h: number): number[] => row.slice(6 * h, 6 * h + 6)
      const shared = Math.floor(head / 2)
      const query = turned(part(q![t]!, head), t)
      const logits = Array.from({ length: t + 1 }, (_, j) =>
        turned(part(k![j]!, shared), j).reduce((total, b, i) => total + b * query[i]!, 0),
      ).map((logit) => Math.exp(logit / Math.sqrt(6)))
      const total = logits.reduce((a, b) => a + b, 0)
      return Array.from({ length: 6 }, (_, i) =>
        logits.reduce((sum, p, j) => sum + (p / total) * part(v![j]!, shared)[i]!, 0),
      )
    })
    return out[0]!.map((_, o) => heads.reduce((total, value, i) => total + value * out[i]![o]!, 0))
  })
}

describe('attention', () => {
  it('is causal grouped attention with RoPE, as written out in float64', () => {
    const layer = nn.attention({ ...sizes, mask, rope, policy: { params: 'float64' } })
    const params = layer.init(keyOf(1))
    const expected = plain(params)
    layer
      .apply(params, x)
      .toNumbers()
      .forEach((value, i) => {
        expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-13)
      })
  })

  it('by blocks or whole, batched and compiled, gradients too', () => {
    const policy = { params: 'float32', compute: 'bfloat16' } as const
    const given = { ...sizes, mask, rope: kernels.ropeFrequencies({ dim: 6 }), policy }
    const flash = nn.attention({ ...given, flash: { blockQ: 2, blockK: 2 } })
    const whole = nn.attention({ ...given, kernel: 'whole' })
    const params = flash.init(keyOf(1))
    const one = cast(x, 'float32')
    const exact = nn.attention({ ...sizes, mask, rope, policy: { params: 'float64' } })
    const expected = exact.apply(params, x).toNumbers()
    for (const layer of [flash, whole]) {
      // bfloat16 beside float64: three roundings of 2^-8 of terms of size 1 and sums of 12 of them.
      layer
        .apply(params, one)
        .toNumbers()
        .forEach((value, i) => {
          expect(Math.abs(value - expected[i]!)).toBeLessThan(12 * 3 * 2 ** -8)
        })
      const two = tensor([...one.toNumbers(), ...one.toNumbers()], { shape: [2, 5, 12] })
      expect(layer.apply(params, two).toBits().slice(60)).toEqual(layer.apply(params, one).toBits())
      const step = valueAndGrad((p: typeof params) => mean(square(cast(layer.apply(p, one), 'float32'))))
      const [value, gradients] = step(params)
      const [compiledValue, compiledGradients] = compile(step)(params)
      expect(compiledValue.toBits()).toEqual(value.toBits())
      expect(leavesOf(compiledGradients).map((leaf) => leaf.toBits())).toEqual(
        leavesOf(gradients).map((leaf) => leaf.toBits()),
      )
    }
  })

  it('makes a decoder block of the parameters that the planner counts', () => {
    const [D, F, N, K] = [16, 40, 4, 2]
    const block = nn.sequential([
      nn.residual(
        nn.sequential([nn.rmsNorm({ features: D }), nn.attention({ features: D, heads: N, kvHeads: K })]),
      ),
      nn.residual(
        nn.sequential([
          nn.rmsNorm({ features: D }),
          nn.mlp({ features: D, hidden: F, activation: 'silu', gated: true }),
        ]),
      ),
    ])
    const counted = parameterTensors({ family: 'decoder', D, F, L: 1, N, K, V: 7 }).filter(({ name }) =>
      name.startsWith('layer.'),
    )
    const params = block.init(keyOf(0))
    expect(leavesOf(params).reduce((total, { size }) => total + size, 0)).toBe(
      counted.reduce((total, { shape }) => total + Object.values(shape).reduce((a, b) => a * b, 1), 0),
    )
    expect(block.apply(params, reshape(tensor(normal(keyOf(1), 48)), [3, D])).shape).toEqual([3, D])
  })

  it('says what is wrong', () => {
    expect(() => nn.attention({ features: 12, heads: 5 })).toThrow(
      new RangeError('attention: heads do not divide the features [features 12, heads 5]'),
    )
    expect(() => nn.attention({ features: 12, heads: 4, kvHeads: 3 })).toThrow(
      new RangeError('attention: kvHeads do not divide the heads [heads 4, kvHeads 3]'),
    )
    expect(() => nn.attention({ features: 12, heads: 2, rope })).not.toThrow()
    expect(() => nn.attention({ features: 12, heads: 3, rope })).toThrow(
      new RangeError('attention: rope has not half as many frequencies as a head has features [3 and 4]'),
    )
    expect(() => nn.attention({ features: 12, heads: 2, kernel: 'whole', flash: { softCap: 3 } })).toThrow(
      'attention: kernel whole takes no flash [',
    )
    const layer = nn.attention({ features: 12, heads: 2 })
    expect(() => layer.apply(layer.init(keyOf(0)), tensor([1, 2]))).toThrow(RangeError)
  })
})
