import { checkGrads, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { balanceLoss, routerZLoss } from 'tpu-toolkit/kernels'
import { parameterTensors } from 'tpu-toolkit/model'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { add, mean, slice, square, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const sizes = { features: 4, hidden: 6, experts: 5 }
const x = tensor(normal(keyOf(1), 2 * 7 * 4), { shape: [2, 7, 4] })

describe('moe', () => {
  it('is the weighted sum of the chosen experts, each an mlp, where all find a place', () => {
    const layer = nn.moe({ ...sizes, capacityFactor: 5 })
    const params = layer.init(keyOf(2))
    const expert = nn.mlp({ features: 4, hidden: 6, activation: 'silu', gated: true })
    const { routing, assignment } = layer.route(params, x)
    expect(assignment.kept.toNumbers().every(Boolean)).toBe(true)
    const outputs = Array.from({ length: 5 }, (_, e) => {
      const of = (stack: Tensor) => ({ weight: slice(stack, [e]) })
      return expert.apply({ up: of(params.up), gate: of(params.gate!), down: of(params.down) }, x).toNumbers()
    })
    const [chosen, weights] = [routing.experts.toNumbers(), routing.weights.toNumbers()]
    layer
      .apply(params, x)
      .toNumbers()
      .forEach((value, i) => {
        const token = Math.floor(i / 4)
        const terms = [0, 1].map((k) =>
          Math.fround(weights[2 * token + k]! * outputs[chosen[2 * token + k]!]![i]!),
        )
        expect(value).toBe(Math.fround(terms[0]! + terms[1]!))
      })
  })

  it('gives 0 for what is dropped', () => {
    const layer = nn.moe({ ...sizes, active: 1, capacityFactor: 0.1 })
    const params = layer.init(keyOf(2))
    const { assignment } = layer.route(params, x)
    const kept = assignment.kept.toNumbers()
    expect(kept.reduce((a, b) => a + b, 0)).toBeLessThan(14)
    layer
      .apply(params, x)
      .toNumbers()
      .forEach((value, i) => {
        if (!kept[Math.floor(i / 4)]) expect(value).toBe(0)
      })
  })

  it('has gradients equal to differences, and compiles to the same bits with the losses of its routes', () => {
    const wide = nn.moe({ ...sizes, routerDtype: 'float64', policy: { params: 'float64' } })
    const tokens = tensor(normal(keyOf(1), 12), { shape: [3, 4], dtype: 'float64' })
    expect(() =>
      checkGrads((p: nn.MoeParameters) => sum(wide.apply(p, tokens)), [wide.init(keyOf(3))]),
    ).not.toThrow()
    const layer = nn.moe(sizes)
    const step = valueAndGrad((p: nn.MoeParameters, inputs: Tensor) => {
      const { logits, routing } = layer.route(p, inputs)
      return add(add(mean(square(layer.apply(p, inputs))), balanceLoss(routing)), routerZLoss(logits))
    })
    const params = layer.init(keyOf(2))
    const [value, gradients] = step(params, x)
    const [compiledValue, compiledGradients] = compile(step)(params, x)
    expect(compiledValue.toBits()).toEqual(value.toBits())
    expect(leavesOf(compiledGradients).map((leaf) => leaf.toBits())).toEqual(
      leavesOf(gradients).map((leaf) => leaf.toBits()),
    )
  })

  it('has the parameters that the planner counts for a block of experts', () => {
    const [D, F, N] = [8, 12, 2]
    const block = [
      nn.rmsNorm({ features: D }),
      nn.attention({ features: D, heads: N }),
      nn.rmsNorm({ features: D }),
      nn.moe({ features: D, hidden: F, experts: 4 }),
    ]
    const counted = parameterTensors({ family: 'decoder', D, F, L: 1, N, V: 7, experts: 4 }).filter(
      ({ name }) => name.startsWith('layer.'),
    )
    const made = block.flatMap((layer) => leavesOf(layer.init(keyOf(0)) as object))
    expect(made.reduce((total, { size }) => total + size, 0)).toBe(
      counted.reduce((total, { shape }) => total + Object.values(shape).reduce((a, b) => a * b, 1), 0),
    )
  })

  it('says what is wrong', () => {
    expect(() => nn.moe({ ...sizes, active: 6 })).toThrow(
      new RangeError('moe: active is not a whole number from 1 to 5 [6]'),
    )
    const layer = nn.moe({ ...sizes, capacityFactor: 0 })
    expect(() => layer.apply(layer.init(keyOf(0)), x)).toThrow(RangeError)
  })
})
