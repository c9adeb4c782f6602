import { estimateMemory, findOptimalBatchSize, type MemoryOptions, modelNamed } from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'

type Recipe = readonly [model: string, options: MemoryOptions]

const wide = { paramsDtype: 'float32' } as const
const adam16 = { ...wide, momentsDtype: ['bfloat16', 'float32'] } as const
const host = { remat: { offload: ['decoder_layer_input', 'query_proj', 'key_proj', 'value_proj'] } } as const
const hostOut = {
  remat: { offload: ['decoder_layer_input', 'out_proj', 'query_proj', 'key_proj', 'value_proj'] },
} as const

// MaxText keeps moments in the dtype of the weights, and splits the residual stream over tensor too. Runs that ran, as AI-Hypercomputer/tpu-recipes gives them: batch, dtypes, ways and what is kept or offloaded.
const recipes: readonly Recipe[] = [
  ['gpt3-175b', { slice: 'v6e-256', batch: 768, sequence: 2048, ...wide }],
  ['gemma3-12b', { slice: 'v6e-256', batch: 256, sequence: 32768, ...wide, logitsChunks: 16 }],
  ['mistral-7b', { slice: 'v6e-8', batch: 48, sequence: 8192, ...wide, ...hostOut }],
  ['llama2-70b', { slice: 'v6e-256', batch: 768, sequence: 4096, ...wide, remat: { offload: ['qkv_proj'] } }],
  [
    'llama3.1-405b',
    {
      slice: 'v6e-256',
      batch: 512,
      sequence: 8192,
      ...wide,
      slices: 2,
      sharedParameters: true,
      remat: { offload: ['decoder_layer_input'] },
    },
  ],
  ['llama3-70b', { slice: 'v6e-128', batch: 512, sequence: 8192, ...wide, ...host }],
  ['llama3-70b', { slice: 'v6e-256', batch: 1280, sequence: 8192, ...wide, ...host }],
  ['llama3-70b', { slice: 'v6e-32', batch: 64, sequence: 8192, ...host, momentsDtype: 'bfloat16' }],
  ['llama3-70b', { slice: 'v6e-64', batch: 128, sequence: 8192, ...wide, ...host }],
  ['llama3-8b', { slice: 'v6e-8', batch: 24, sequence: 8192, ...wide, ...hostOut }],
  ['llama3-8b', { slice: 'v6e-16', batch: 48, sequence: 8192, ...wide, ...hostOut }],
  ['llama3-8b', { slice: 'v6e-256', batch: 1024, sequence: 8192, ...wide, ...hostOut }],
  ['mixtral-8x7b', { slice: 'v6e-256', batch: 3072, sequence: 4096, ...wide, ...hostOut }],
  [
    'llama4-maverick',
    { slice: 'v5p-256', batch: 512, sequence: 8192, ...wide, ...hostOut, split: { fsdp: 32, tensor: 4 } },
  ],
  [
    'gpt3-175b',
    {
      slice: 'v5p-1024',
      batch: 2048,
      sequence: 2048,
      ...wide,
      split: { fsdp: 64, tensor: 8 },
      sequenceParallel: true,
    },
  ],
  [
    'deepseek-v3',
    {
      slice: 'tpu7x-256',
      batch: 2048,
      sequence: 4096,
      ...adam16,
      gradientsDtype: 'bfloat16',
      remat: { offload: ['decoder_layer_input'] },
    },
  ],
  [
    'llama3.1-405b',
    {
      slice: 'tpu7x-512',
      batch: 1536,
      sequence: 8192,
      ...adam16,
      logitsChunks: 4,
      remat: { save: ['key_proj', 'value_proj'], offload: ['decoder_layer_input', 'mlpwo'] },
    },
  ],
  [
    'llama3-70b',
    { slice: 'tpu7x-128', batch: 256, sequence: 8192, ...adam16, remat: { save: ['context', 'qkv_proj'] } },
  ],
  [
    'llama3-70b',
    {
      slice: 'tpu7x-512',
      batch: 64,
      sequence: 131072,
      ...wide,
      logitsChunks: 4,
      split: { fsdp: 64, context: 8 },
      remat: { save: ['context', 'qkv_proj', 'mlpwo'] },
    },
  ],
  [
    'gemma4-31b',
    {
      slice: 'tpu7x-128',
      batch: 512,
      sequence: 8192,
      ...wide,
      logitsChunks: 8,
      remat: { save: ['out_proj', 'mlpwo'] },
    },
  ],
  [
    'gpt-oss-120b',
    {
      slice: 'tpu7x-128',
      batch: 1280,
      sequence: 8192,
      ...wide,
      split: { data: 2, fsdp: 64 },
      remat: { offload: ['decoder_layer_input', 'mlpwo'] },
    },
  ],
  [
    'qwen3-235b-a22b',
    { slice: 'tpu7x-512', batch: 8192, sequence: 4096, ...wide, remat: { offload: ['decoder_layer_input'] } },
  ],
]

describe('memory of published recipes', () => {
  it.each(recipes)('%s with %j fits: it ran', (name, options) => {
    const { perDevice, usableBytesPerDevice, fits } = estimateMemory(modelNamed(name), options)
    expect(fits, JSON.stringify([perDevice, usableBytesPerDevice])).toBe(true)
  })

  it('the largest batch that fits is within a factor 1.5 of the published one in 12 of the 22, and never below it', () => {
    const ratios = recipes.map(([name, { batch, ...options }]) => {
      return findOptimalBatchSize(modelNamed(name), options).batch / batch
    })
    const near = ratios.filter((ratio) => ratio <= 1.5)
    expect(
      ratios.every((ratio) => ratio >= 1),
      ratios.map((r) => r.toFixed(2)).join(),
    ).toBe(true)
    expect(near.length, ratios.map((r) => r.toFixed(2)).join()).toBeGreaterThanOrEqual(12)
  })
})
