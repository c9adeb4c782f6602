import type { ModelConfig } from 'tpu-toolkit/model'
import { parameterCount } from 'tpu-toolkit/model'
import {
  mesh,
  shardBatch,
  shardingDiagram,
  shardingOf,
  shardingStrategy,
  shardShape,
  shardTrainState,
  strategies,
  strategyDiagram,
} from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'

const llama = { family: 'decoder', D: 4096, F: 14336, L: 32, N: 32, K: 8, V: 128256 } as const
const mixtral = { ...llama, V: 32000, experts: 8 } as const
const gpt2 = { family: 'gpt2', D: 768, L: 12 } as const
const mamba2 = { family: 'mamba2', D: 2560, L: 64 } as const
const models: readonly ModelConfig[] = [
  llama,
  mixtral,
  gpt2,
  mamba2,
  { family: 'mamba1', D: 2560, L: 64 },
  { family: 'neox', D: 2048, L: 16, V: 50304 },
  { family: 'phi', D: 2560, L: 32, V: 51200 },
  { family: 'mlp', widths: [784, 512, 256, 16] },
]
const both = mesh({ shape: [4, 8], axisNames: ['fsdp', 'tensor'] })
const specsOf = (
  devices: typeof both,
  config: ModelConfig,
  strategy: 'fsdp' | 'tensor' | ('fsdp' | 'tensor' | 'expert')[],
) =>
  Object.fromEntries(
    shardingStrategy(devices, config, { strategy }).parameters.map(({ name, spec }) => [name, spec]),
  )

describe('shardingStrategy', () => {
  it('splits a decoder over fsdp and tensor as the table of rules has it', () => {
    expect(specsOf(both, llama, ['fsdp', 'tensor'])).toEqual({
      embedding: ['tensor', 'fsdp'],
      'layer.attention.q': ['fsdp', 'tensor', null],
      'layer.attention.k': ['fsdp', 'tensor', null],
      'layer.attention.v': ['fsdp', 'tensor', null],
      'layer.attention.o': ['tensor', null, 'fsdp'],
      'layer.mlp.gate': ['fsdp', 'tensor'],
      'layer.mlp.up': ['fsdp', 'tensor'],
      'layer.mlp.down': ['tensor', 'fsdp'],
      'layer.norm1': [null],
      'layer.norm2': [null],
      norm: [null],
      output: ['fsdp', 'tensor'],
    })
    expect(specsOf(both, llama, 'fsdp')['layer.mlp.down']).toEqual([null, 'fsdp'])
    expect(specsOf(both, llama, 'tensor')['layer.mlp.down']).toEqual(['tensor', null])
  })

  it('splits experts, and leaves the router whole', () => {
    const devices = mesh({ shape: [2, 4, 2], axisNames: ['expert', 'fsdp', 'tensor'] })
    const specs = specsOf(devices, mixtral, ['fsdp', 'tensor', 'expert'])
    expect(specs['layer.mlp.gate']).toEqual(['expert', 'fsdp', 'tensor'])
    expect(specs['layer.mlp.down']).toEqual(['expert', 'tensor', 'fsdp'])
    expect(specs['layer.router']).toEqual([null, null])
  })

  it('splits biases of columns and leaves those behind a sum whole', () => {
    const specs = specsOf(mesh({ shape: [2, 4], axisNames: ['fsdp', 'tensor'] }), gpt2, ['fsdp', 'tensor'])
    expect(specs['layer.attention.q.bias']).toEqual(['tensor', null])
    expect(specs['layer.mlp.up.bias']).toEqual(['tensor'])
    expect(specs['layer.mlp.down.bias']).toEqual([null])
    expect(specs['layer.attention.o.bias']).toEqual([null])
    expect(specs['positions']).toEqual([null, 'fsdp'])
  })

  it("does not cut Mamba-2's fused projection blindly, and says what lies in it", () => {
    const { parameters } = shardingStrategy(both, mamba2, { strategy: ['fsdp', 'tensor'] })
    const row = (name: string) => parameters.find((one) => one.name === name)!
    expect(row('layer.in').spec).toEqual(['fsdp', null])
    expect(row('layer.in').notes[0]).toContain('z, x, B, C and dt lie side by side')
    expect(row('layer.out').spec).toEqual(['tensor', 'fsdp'])
    expect(row('layer.A_log').spec).toEqual(['tensor'])
    expect(row('layer.gatedNorm').notes[0]).toContain('an all-reduce, or a norm per group')
    expect(row('layer.conv').spec).toEqual([null, null])
  })

  it("leaves GPT-2's vocabulary of 50257 whole over tensor, and key heads that are fewer than the ways", () => {
    const devices = mesh({ shape: [1, 4], axisNames: ['fsdp', 'tensor'] })
    const [embedding] = shardingStrategy(devices, gpt2, { strategy: ['fsdp', 'tensor'] }).parameters
    expect(embedding).toMatchObject({
      spec: [null, 'fsdp'],
      notes: ['V of 50257 does not divide into 4 over tensor, 50256 or 50260 would: it stays whole'],
    })
    const wide = mesh({ shape: [4, 16], axisNames: ['fsdp', 'tensor'] })
    const { parameters } = shardingStrategy(wide, llama, { strategy: ['fsdp', 'tensor'] })
    expect(parameters.find(({ name }) => name === 'layer.attention.k')).toMatchObject({
      spec: ['fsdp', null, null],
      notes: ['8 key and value heads over tensor of 16: every device holds all of them'],
    })
  })

  it.each(models.map((config) => [config.family, config] as const))(
    '%s: every spec is one that jax takes, and no parameter is lost',
    (_, config) => {
      const devices = mesh({ shape: [2, 2, 4], axisNames: ['data', 'fsdp', 'tensor'] })
      for (const strategy of [
        ['data'],
        ['fsdp'],
        ['tensor'],
        ['fsdp', 'tensor'],
        ['fsdp', 'tensor', 'sequence'],
      ] as const) {
        const { parameters, elementsPerDevice, batch } = shardingStrategy(devices, config, { strategy })
        let elements = 0
        let held = 0
        for (const { spec, shape, shardShape: part, replicas, copies } of parameters) {
          expect(part).toEqual(shardShape(devices, spec, shape))
          expect(replicas).toBe(shardingOf(devices, spec, shape).replicas)
          elements += copies * shape.reduce((n, size) => n * size, 1)
          held += copies * part.reduce((n, size) => n * size, 1)
        }
        expect(elements).toBe(parameterCount(config))
        expect(held).toBe(elementsPerDevice)
        if (strategy[0] === 'data') expect(held).toBe(elements)
        // The batch is never computed twice along data and fsdp.
        const rows = shardBatch(devices, [64, 128], { axes: batch[0] as string[] })
        expect(rows.replicas).toBe(strategy.some((way) => way === 'fsdp') ? 4 : 8)
      }
    },
  )

  it('gives fsdp nearly its share: what is left whole is small', () => {
    const { elementsPerDevice } = shardingStrategy(both, llama, { strategy: ['fsdp', 'tensor'] })
    const whole = parameterCount(llama)
    expect(elementsPerDevice).toBeGreaterThanOrEqual(whole / 32)
    expect(elementsPerDevice / (whole / 32)).toBeLessThan(1.01)
  })

  it('splits time between blocks for sequence parallelism', () => {
    expect(shardingStrategy(both, llama, { strategy: ['fsdp', 'tensor', 'sequence'] }).residual).toEqual([
      ['fsdp'],
      'tensor',
      null,
    ])
    const own = mesh({ shape: [2, 2], axisNames: ['data', 'sequence'] })
    expect(shardingStrategy(own, llama, { strategy: 'sequence' }).residual).toEqual([
      ['data'],
      'sequence',
      null,
    ])
  })

  it.each([
    [
      { strategy: 'expert' },
      llama,
      "shardingStrategy: the mesh has no axis for expert, name one with axes: { expert: '...' } [fsdp, tensor]",
    ],
    [
      { strategy: 'zero' },
      llama,
      `shardingStrategy: unknown strategy, there are ${strategies.join(', ')} [zero]`,
    ],
    [{ strategy: 'tensor', axes: { tensor: 'model' } }, llama, 'shardingStrategy: the mesh has no such axis'],
    [
      { strategy: 'tensor' },
      { ...llama, N: 12, K: 12, H: 128 },
      'shardingStrategy: 12 heads do not divide over tensor of 8, nearest tensor of 6, or 8 or 16 of them [layer.attention.q]',
    ],
    [
      { strategy: 'tensor' },
      { ...llama, F: 14340 },
      'shardingStrategy: 14340 wide MLP do not divide over tensor of 8',
    ],
    [
      { strategy: 'expert', axes: { expert: 'fsdp' } },
      { ...mixtral, experts: 6 },
      'shardingStrategy: 6 experts do not divide over fsdp of 4, nearest fsdp of 3, or 4 or 8 of them [layer.mlp.gate]',
    ],
    [{}, llama, 'shardingStrategy: option strategy is missing [no options]'],
  ])('refuses %j', (options, config, text) =>
    expect(() => shardingStrategy(both, config as ModelConfig, options as never)).toThrow(text),
  )
})

describe('shardTrainState', () => {
  it("has a spec for every array where the toolkit's P('fsdp') for all of them fails", () => {
    const devices = mesh({ shape: [8, 4], axisNames: ['data', 'fsdp'] })
    const odd = { family: 'mlp', widths: [64, 1022] } as const
    expect(() => shardShape(devices, ['fsdp'], [1022])).toThrow('does not divide')
    expect(shardTrainState(devices, odd, { strategy: 'fsdp' })).toEqual({
      'params.layer1': ['fsdp', null],
      'params.layer1.bias': [null],
      'mu.layer1': ['fsdp', null],
      'mu.layer1.bias': [null],
      'nu.layer1': ['fsdp', null],
      'nu.layer1.bias': [null],
      step: [],
      rng: [],
    })
  })
})

describe('diagrams', () => {
  it('name the devices of every part', () => {
    const drawn = shardingDiagram(mesh({ shape: [2, 2], axisNames: ['x', 'y'] }), ['x', null], [4, 8])
    expect(drawn).toContain('>0 1</text>')
    expect(drawn).toContain('>2 3</text>')
    expect(drawn.match(/<rect/g)).toHaveLength(2)
  })

  it('have a strip for every parameter, with its spec', () => {
    const drawn = strategyDiagram(shardingStrategy(both, llama, { strategy: ['fsdp', 'tensor'] }))
    for (const { name } of shardingStrategy(both, llama, { strategy: 'fsdp' }).parameters) {
      expect(drawn).toContain(`>${name}<`)
    }
    expect(drawn).toContain('[&quot;tensor&quot;,null,&quot;fsdp&quot;]')
    expect(drawn).not.toMatch(/NaN|undefined/)
  })
})
