import {
  activationBytes,
  architectureOf,
  attentionPairs,
  cacheBytes,
  modelNamed,
  operations,
  parameterCount,
  parameterUse,
  trainingFlops,
} from 'tpu-toolkit/model'
import { mesh, shardingStrategy } from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'

const base = { family: 'decoder', D: 64, F: 96, L: 6, N: 4, K: 2, H: 16, V: 100 } as const

describe('models with windows, latents and experts', () => {
  // Of the model cards: openai/gpt-oss (116.83B with 5.13B active, 20.91B with 3.61B), deepseek-ai/DeepSeek-V3 (671B, 37B),
  // Qwen/Qwen3-235B-A22B, google/gemma-2-9b and 27b (safetensors totals).
  it.each([
    ['gpt-oss-120b', 116_829_156_672, 5.13],
    ['gpt-oss-20b', 20_914_757_184, 3.61],
    ['deepseek-v3', 671_026_419_200, 36.6],
    ['qwen3-235b-a22b', 235_093_634_560, 21.6],
    ['gemma2-9b', 9_241_705_984, 9.2],
    ['gemma2-27b', 27_227_128_320, 27.2],
    ['llama4-scout', 107_769_861_120, 16.1],
  ])('%s has %d parameters, %d billion multiplied for a token', (name, total, active) => {
    expect(parameterCount(modelNamed(name))).toBe(total)
    expect(Math.abs(parameterUse(modelNamed(name)).activeMatmul / 1e9 - active)).toBeLessThan(0.06)
  })

  // TFLOP/s a chip that the Ironwood recipes print beside the tokens a second: half of the pairs counted.
  it.each([
    ['deepseek-v3', 4096, 2425.75, 607.53],
    ['gemma4-26b', 4096, 23707.14, 593.59],
    ['gemma4-31b', 8192, 5370.74, 1057.76],
    ['gpt-oss-120b', 8192, 10975.31, 378.9],
    ['qwen3-235b-a22b', 4096, 4245.89, 629.79],
    ['llama3.1-405b', 8192, 499.77, 1261.4],
  ])('%s at %d tokens: the FLOPs that MaxText counts, within 0.1 %%', (name, sequence, rate, teraflops) => {
    const { model } = trainingFlops(modelNamed(name), { batch: 1, sequence })
    expect(Math.abs(((model / sequence) * rate) / 1e12 / teraflops - 1)).toBeLessThan(0.001)
  })

  it('pairs in a window are those of a mask', () => {
    for (const [T, S, window] of [
      [8, 8, 3],
      [4, 16, 5],
      [16, 16, 16],
      [6, 7, 40],
    ] as const) {
      let pairs = 0
      for (let i = S - T; i < S; i++) for (let j = 0; j < S; j++) if (j <= i && j > i - window) pairs++
      // The count leaves out half of the diagonal, as T^2 / 2 does.
      const begun = Math.max(0, Math.min(T, Math.min(window, S) - (S - T)))
      expect(pairs - attentionPairs({ window }, 'causal', T, S)).toBe(begun / 2)
    }
  })

  it('a window as long as the sequence is none', () => {
    const options = { batch: 2, sequence: 128 }
    const { attention } = trainingFlops(base, options)
    expect(trainingFlops({ ...base, window: 128 }, options).attention).toBe(attention)
    expect(trainingFlops({ ...base, window: 16 }, options).attention).toBeLessThan(attention / 3)
    const mixed = trainingFlops({ ...base, window: 16, globalEvery: 3 }, options).attention
    const local = trainingFlops({ ...base, window: 16 }, options).attention
    expect(mixed).toBeCloseTo((2 * attention + 4 * local) / 6, 3)
  })

  it('caches hold the window in local layers, the latent in latent attention', () => {
    const whole = cacheBytes(base, { sequence: 1000 })
    expect(cacheBytes({ ...base, window: 10, globalEvery: 3 }, { sequence: 1000 })).toBe(
      (whole / 1000 / 6) * (2 * 1000 + 4 * 10),
    )
    expect(cacheBytes({ ...base, K: 4, kvRank: 32, ropeH: 8 }, { sequence: 1000 })).toBe(2 * 6 * 40 * 1000)
  })

  it('layers are grouped by what they have', () => {
    const { groups } = architectureOf(modelNamed('deepseek-v3'))
    expect(groups.map(({ name, copies }) => `${name} ${copies}`)).toEqual(['dense 3', 'experts 58'])
    const mixed = architectureOf({
      ...{ ...base, window: 8, globalEvery: 2, experts: 4, expertEvery: 3 },
    })
    expect(mixed.groups.reduce((sum, { copies }) => sum + copies, 0)).toBe(6)
    const names = operations({ ...base, window: 8, globalEvery: 2 }, { batch: 1, sequence: 32 }).map(
      ({ name }) => name,
    )
    expect(names).toContain('layer.attention.local')
    expect(names).toContain('layer.attention.global')
  })

  it('activations add up over the groups', () => {
    const config = { ...base, experts: 4, active: 2, denseLayers: 2 }
    const { arrays, bytes } = activationBytes(config, { batch: 1, sequence: 10, remat: 'everything' })
    const widths = arrays.reduce((sum, { width, copies = 6 }) => sum + width * copies, 0)
    expect(bytes).toBe(2 * 10 * widths)
    const input = activationBytes(config, { batch: 1, sequence: 10, remat: 'block' })
    expect(input.bytes).toBe(2 * 10 * 64 * 6)
  })

  it('every parameter of DeepSeek V3 has a place on a mesh', () => {
    const devices = mesh({ shape: [8, 4], axisNames: ['fsdp', 'tensor'] })
    const { parameters } = shardingStrategy(devices, modelNamed('deepseek-v3'), {
      strategy: ['fsdp', 'tensor'],
    })
    const spec = (name: string): unknown => parameters.find((one) => one.name === name)?.spec
    expect(spec('layer.attention.q.down')).toEqual(['fsdp', null])
    expect(spec('layer.attention.q.up')).toEqual(['fsdp', 'tensor', null])
    expect(spec('layer.attention.kv.up')).toEqual(['fsdp', 'tensor', null])
  })

  it.each([
    [{ globalEvery: 2 }, 'parameterCount: globalEvery without a window, all layers are global [2]'],
    [
      { vH: 8 },
      'parameterCount: qRank, ropeH and vH belong to latent attention, give kvRank too [no kvRank]',
    ],
    [
      { denseLayers: 1 },
      'parameterCount: denseLayers and expertEvery belong to models with experts [0 experts]',
    ],
    [{ window: 0 }, /parameterCount: window is not a whole number/],
    [{ window: 8, globalEvery: 2, globalK: 3 }, 'parameterCount: globalK does not divide N, nearest 2'],
  ])('%j is refused', (more, message) => {
    expect(() => parameterCount({ ...base, ...more })).toThrow(message)
  })
})

describe('remat', () => {
  const options = { batch: 1, sequence: 64 } as const
  const again = (remat: Parameters<typeof trainingFlops>[1]['remat'] & {}): number =>
    trainingFlops(base, { ...options, remat }).recomputed
  const { model } = trainingFlops(base, options)

  it('by name: keeping nothing is block, keeping every product is dots', () => {
    expect(again({})).toBe(again('block'))
    expect(again({ save: ['attention'] })).toBeLessThan(again('block'))
    expect(again({ every: 2 })).toBe(again('block'))
    expect(again('everything')).toBe(0)
    expect(again('dots_with_no_batch_dims')).toBe(again('dots'))
    expect(again({ offload: ['query_proj', 'decoder_layer_input'] })).toBe(again({ save: ['q'] }))
    expect(again('block')).toBe(model / 3)
  })

  it('every two layers keep half of the inputs; on the host they leave the device', () => {
    const kept = (remat: Parameters<typeof activationBytes>[1]['remat'] & {}) =>
      activationBytes(base, { ...options, remat })
    expect(kept({ every: 2 }).bytes).toBe(kept('block').bytes / 2)
    expect(kept({ offload: ['input'] }).bytes).toBe(0)
    expect(kept({ offload: ['input'] }).hostBytes).toBe(kept('block').bytes)
    expect(kept({ save: ['q', 'k', 'v'] }).bytes).toBe(kept('block').bytes * (1 + (64 + 2 * 32) / 64))
  })

  it('names are checked', () => {
    expect(() => again({ save: ['mlpwu'] })).toThrow(/unknown saved array, did you mean/)
    expect(() => again({ every: 0 })).toThrow(/every is not a whole number/)
    expect(() => again({ keep: [] } as never)).toThrow(/unknown option/)
  })
})
