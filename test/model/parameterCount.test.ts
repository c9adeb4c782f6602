import fc from 'fast-check'
import {
  architectureOf,
  type ModelConfig,
  modelNamed,
  modelNames,
  parameterCount,
  parameterTensors,
  parameterUse,
} from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'
import { seed } from '../support/seed.js'

interface ModelKey {
  readonly name: string
  readonly family: string
  readonly config: Readonly<Record<string, number | boolean>>
  readonly params: number
}
const keys: { readonly models: readonly ModelKey[] } = JSON.parse(
  readText('test/golden/planning/params.json'),
)
const configOf = ({ family, config }: ModelKey): ModelConfig => ({ family, ...config }) as ModelConfig

const size = fc.integer({ min: 1, max: 64 })

describe('parameterCount(config)', () => {
  it.each(keys.models)('$name has $params parameters, as the public modelling code', (key) => {
    expect(parameterCount(configOf(key))).toBe(key.params)
  })

  it.each(keys.models)('the tensors of $name add up to them', (key) => {
    const tensors = parameterTensors(configOf(key))
    const elements = tensors.map(({ shape, copies }) => shape.reduce((n, d) => n * d, copies))
    expect(elements.reduce((a, b) => a + b, 0)).toBe(key.params)
    expect(tensors.map((tensor) => tensor.elements)).toEqual(elements)
  })

  // The formulas of the keys, written as they stand there.
  it(`decoder: the formula of the keys, with every option (seed ${seed})`, () => {
    const flags = fc.record({ tie: fc.boolean(), qkv_bias: fc.boolean(), qk_norm: fc.boolean() })
    fc.assert(
      fc.property(
        size,
        size,
        size,
        size,
        size,
        size,
        size,
        fc.nat(8),
        fc.nat(4),
        flags,
        (D, F, L, K, m, V, H, E, norms, on) => {
          const N = K * m
          const formula =
            (on.tie ? 1 : 2) * V * D +
            L *
              (2 * D * N * H +
                2 * D * K * H +
                (on.qkv_bias ? (N + 2 * K) * H : 0) +
                (on.qk_norm ? 2 * H : 0) +
                (E > 0 ? E * 3 * D * F + E * D : 3 * D * F) +
                norms * D) +
            D
          const config = { family: 'decoder' as const, D, F, L, N, K, V, H, norms, ...on }
          const whole = E === 0 ? config : { ...config, experts: E, active: 1 }
          expect(parameterCount(whole)).toBe(formula)
        },
      ),
      { seed, numRuns: 200 },
    )
  })

  it.each(keys.models)('modelNamed($name) is the configuration of the key', (key) => {
    expect(architectureOf(modelNamed(key.name))).toEqual(architectureOf(configOf(key)))
  })

  it('modelNamed(name) refuses another name with the nearest', () => {
    expect(() => modelNamed('llama-3-8b-x')).toThrow(
      'modelNamed: unknown model, did you mean llama3-8b [llama-3-8b-x]',
    )
    expect(() => modelNamed('toString')).toThrow(/^modelNamed: unknown model, there are gpt2/)
    expect(modelNames.every((name) => parameterCount(modelNamed(name)) > 1e8)).toBe(true)
  })

  it(`neox, phi and gpt2: the formulas of the keys (seed ${seed})`, () => {
    fc.assert(
      fc.property(size, size, size, size, (D, L, V, F) => {
        const layer = 4 * D ** 2 + 4 * D + 2 * D * F + F + D
        expect(parameterCount({ family: 'neox', D, L, V, F })).toBe(2 * V * D + L * (layer + 4 * D) + 2 * D)
        expect(parameterCount({ family: 'phi', D, L, V, F })).toBe(
          2 * V * D + V + L * (layer + 2 * D) + 2 * D,
        )
        expect(parameterCount({ family: 'gpt2', D, L, V, T: F })).toBe(
          V * D + F * D + L * (12 * D ** 2 + 13 * D) + 2 * D,
        )
      }),
      { seed, numRuns: 200 },
    )
  })

  it(`mamba1 and mamba2: the formulas of the keys (seed ${seed})`, () => {
    fc.assert(
      fc.property(size, size, size, size, size, size, (D, L, S, G, m, V) => {
        const [I, H, W, R] = [G * m * 3, G * m, 4, 5]
        expect(parameterCount({ family: 'mamba2', D, L, S, G, V, I, H, W })).toBe(
          V * D + L * (D * (2 * I + 2 * G * S + H) + (I + 2 * G * S) * (W + 1) + 3 * H + I + I * D + D) + D,
        )
        expect(parameterCount({ family: 'mamba1', D, L, S, V, I, W, R })).toBe(
          V * D + L * (2 * D * I + I * (W + 1) + I * (R + 2 * S) + R * I + I + I * S + I + I * D + D) + D,
        )
      }),
      { seed, numRuns: 200 },
    )
  })

  it('a plain MLP has two matrices, a gated one three', () => {
    const config = { family: 'decoder', D: 64, F: 256, L: 1, N: 1, V: 8 } as const
    expect(parameterCount(config) - parameterCount({ ...config, gated: false })).toBe(64 * 256)
  })

  it('dense layers count widths and biases', () => {
    expect(parameterCount({ family: 'mlp', widths: [784, 512, 10] })).toBe(784 * 512 + 512 + 512 * 10 + 10)
    expect(parameterCount({ family: 'mlp', widths: [784, 512, 10], bias: false })).toBe(784 * 512 + 5120)
  })

  it('Mamba-2 has one A_log for each head, and 2 G S of B and C, not 2 heads x state', () => {
    const tensors = parameterTensors({ family: 'mamba2', D: 1024, L: 1 })
    const shapeOf = (name: string) => tensors.find((tensor) => tensor.name === name)?.shape
    expect(shapeOf('layer.A_log')).toEqual([32])
    expect(shapeOf('layer.in')).toEqual([1024, 2 * 2048 + 2 * 128 + 32])
  })

  it.each([
    [{ family: 'decodr' }, 'parameterCount: unknown family, did you mean decoder [decodr]'],
    [{ family: 'gpt2', L: 12 }, 'parameterCount: option D is missing [family, L]'],
    [
      { family: 'gpt2', D: 768, L: 12, K: 4 },
      'parameterCount: unknown option, there are family, D, L, V, T, F, N [K]',
    ],
    [{ family: 'gpt2', D: 76.8, L: 12 }, 'parameterCount: D is not a whole number, 1 or more [76.8]'],
    [
      { family: 'gpt2', D: 768, L: 12, N: 11 },
      'parameterCount: N heads do not divide D, nearest N 12, or give the width H of a head [D 768, N 11]',
    ],
    [
      { family: 'decoder', D: 64, F: 4, L: 1, N: 8, K: 3, V: 9 },
      'parameterCount: K does not divide N, nearest 2 [N 8, K 3]',
    ],
    [
      { family: 'decoder', D: 64, F: 4, L: 1, N: 8, V: 9, experts: 4, active: 8 },
      'parameterCount: more active experts than experts [8 of 4]',
    ],
    [
      { family: 'decoder', D: 64, F: 4, L: 1, N: 8, V: 9, tie: 'yes' },
      'parameterCount: tie is neither true nor false [yes]',
    ],
    [
      { family: 'mamba2', D: 100, L: 1 },
      'parameterCount: heads of 64 do not divide the inner width, nearest 192, or give H heads [I 200]',
    ],
    [
      { family: 'mlp', widths: [4] },
      'parameterCount: widths are not at least two sizes, inputs and outputs [4]',
    ],
  ])('%j is refused: %s', (config, message) => {
    expect(() => parameterCount(config as never)).toThrow(new RangeError(message))
  })

  it('a count beyond 2^53 is refused rather than rounded', () => {
    expect(() => parameterCount({ family: 'mlp', widths: [2 ** 27, 2 ** 27] })).toThrow(
      /^parameterCount: more parameters than/,
    )
  })

  it('what is no configuration is a TypeError', () => {
    expect(() => parameterCount(7 as never)).toThrow(TypeError)
    expect(() => architectureOf(undefined as never)).toThrow(/^architectureOf: the model is no configuration/)
  })
})

describe('parameterUse(config)', () => {
  it('Mixtral 8x7B has 46.7B parameters, of which a token meets 12.9B', () => {
    const mixtral = keys.models.find(({ name }) => name === 'mixtral-8x7b')
    const { total, active } = parameterUse(configOf(mixtral!))
    expect(total).toBe(46702792704)
    // 2 of 8 experts: what is not an expert, and a quarter of what is.
    const experts = 32 * 8 * 3 * 4096 * 14336
    expect(active).toBe(total - experts * 0.75)
  })

  it('matmul parameters exclude the input embedding and include the output one, tied or not', () => {
    const config = { family: 'decoder', D: 64, F: 256, L: 2, N: 4, V: 1000 } as const
    const body = 2 * (4 * 64 * 64 + 3 * 64 * 256)
    expect(parameterUse(config).matmul).toBe(body + 64_000)
    expect(parameterUse({ ...config, tie: true }).matmul).toBe(body + 64_000)
  })
})
