import { readFileSync } from 'node:fs'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as kernels from 'tpu-toolkit/kernels'
import { softmaxCrossEntropyWithIntegerLabels } from 'tpu-toolkit/losses'
import * as nn from 'tpu-toolkit/nn'
import { adamw, makeTrainStep } from 'tpu-toolkit/optimizer'
import { key as keyOf } from 'tpu-toolkit/random'
import { mean, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

interface Key {
  readonly losses: readonly string[]
  readonly sums: readonly string[]
  readonly squares: readonly string[]
}

const gpt: Key = JSON.parse(readFileSync(new URL('../golden/nn/gpt.json', import.meta.url), 'utf8'))
const numberOf = (hex: string): number => Buffer.from(hex, 'hex').readDoubleBE()

/** The sizes of scripts/golden/decoder.py. */
const [V, D, F, N, K, T, batch] = [24, 16, 32, 4, 2, 12, 3]
const policy = { params: 'float64' } as const

const block = nn.sequential([
  nn.residual(
    nn.sequential([
      nn.rmsNorm({ features: D, policy }),
      nn.attention({
        ...{ features: D, heads: N, kvHeads: K, mask: kernels.causalMask(), policy },
        rope: kernels.ropeFrequencies({ dim: D / N, dtype: 'float64' }),
      }),
    ]),
  ),
  nn.residual(
    nn.sequential([
      nn.rmsNorm({ features: D, policy }),
      nn.mlp({ features: D, hidden: F, activation: 'silu', gated: true, policy }),
    ]),
  ),
])
const model = nn.sequential([
  nn.embedding({ count: V, features: D, policy }),
  block,
  block,
  nn.rmsNorm({ features: D, policy }),
  nn.linear({ inputs: D, outputs: V, bias: false, policy }),
])

function tokensOf(step: number): { readonly inputs: Tensor<'int32'>; readonly labels: Tensor<'int32'> } {
  const all = Array.from({ length: batch }, (_, row) =>
    Array.from({ length: T + 1 }, (_, t) => {
      const i = row * (T + 1) + t + 7 * step
      return (i * i + 3 * i) % V
    }),
  )
  const rows = (from: number): Tensor<'int32'> =>
    tensor(
      all.map((row) => row.slice(from, from + T)),
      { dtype: 'int32' },
    )
  return { inputs: rows(0), labels: rows(1) }
}

describe('a small decoder made of layers', () => {
  it('trains for 40 steps in float64 as jax and optax train it: losses and weights to 1e-9', () => {
    type Parameters = nn.ParametersOf<typeof model>
    const loss = (params: Parameters, inputs: Tensor<'int32'>, labels: Tensor<'int32'>): Tensor =>
      mean(softmaxCrossEntropyWithIntegerLabels(model.apply(params, inputs), labels))
    const optimizer = adamw({ learningRate: 1e-2, weightDecay: 1e-2 })
    const step = makeTrainStep(compile(valueAndGrad(loss)), optimizer)
    const params = model.init(keyOf(3))
    let point = { params, state: optimizer.init(params) }
    for (const [i, expected] of gpt.losses.entries()) {
      const { inputs, labels } = tokensOf(i)
      const next = step(point, inputs, labels)
      expect(Math.abs(next.loss.item() - numberOf(expected))).toBeLessThan(1e-9)
      point = next
    }
    leavesOf(point.params).forEach((leaf, i) => {
      const values = Array.from(leaf.toNumbers())
      const total = values.reduce((sum, value) => sum + value, 0)
      const squares = values.reduce((sum, value) => sum + value * value, 0)
      expect(Math.abs(total - numberOf(gpt.sums[i]!))).toBeLessThan(1e-9 * leaf.size)
      expect(Math.abs(squares - numberOf(gpt.squares[i]!))).toBeLessThan(1e-9 * leaf.size)
    })
  })
})
