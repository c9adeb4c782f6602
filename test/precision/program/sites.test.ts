import { gelu, mean, type Tensor, tensor } from 'tpu-toolkit'
import { flashAttention } from 'tpu-toolkit/kernels'
import { layerNorm, linear, pure, sequential } from 'tpu-toolkit/nn'
import { adamw } from 'tpu-toolkit/optimizer'
import { programOf, shadow } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { expect, it } from 'vitest'

it('sites of what layers, optimizers and kernels compute are lines of the caller', () => {
  const model = sequential([
    linear({ inputs: 4, outputs: 4 }),
    layerNorm({ features: 4 }),
    pure(gelu),
    linear({ inputs: 4, outputs: 2 }),
  ])
  const params = model.init(key(1))
  const x = normal(key(2), [3, 4])
  const transform = adamw({ learningRate: 1e-3 })
  const q = normal(key(3), [1, 1, 4, 4])
  const runs = [
    programOf('test', (p: typeof params) => mean(model.apply(p, x)), params, { sites: true }),
    programOf('test', (g: typeof x) => transform.update([g], transform.init([x]), [x])[0] as never, x, {
      sites: true,
    }),
    programOf('test', (v: Tensor<'float32'>) => flashAttention(v, q, q) as never, q, { sites: true }),
  ]
  for (const { steps } of runs) {
    expect(steps.length).toBeGreaterThan(0)
    for (const { site, op } of steps) expect(site, op.name).toMatch(/^sites\.test\.ts:\d+:\d+$/)
  }
})

it('shadow takes a function of the parameters of a sequential', () => {
  const model = sequential([linear({ inputs: 4, outputs: 4 }), pure(gelu), linear({ inputs: 4, outputs: 2 })])
  const params = model.init(key(1))
  const seen = shadow((p: typeof params) => mean(model.apply(p, tensor([[1, 2, 3, 4]]))), params)
  expect(seen.outputs()).toHaveLength(1)
})
