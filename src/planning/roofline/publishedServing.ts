import type { ChipName, PeakDType, StoredDType } from '../hardware/index.js'
import { type ModelConfig, modelNamed } from '../model/index.js'

/** A published measurement of serving. */
export interface ServedRun {
  readonly chip: ChipName
  readonly slice: string
  readonly model: string
  readonly config: ModelConfig
  /** Of products and of stored weights. */
  readonly dtype: PeakDType
  readonly cacheDtype: StoredDType
  /** Requests that are served at once, at most. */
  readonly batch: number
  /** Tokens of a prompt and of an answer, on average. */
  readonly input: number
  readonly output: number
  /** Tokens of a chunk of a prompt in a step of decoding, where the source prints them. */
  readonly chunk?: number
  /** Generated tokens a second, on the whole slice. */
  readonly tokensPerSecond: number
  /** Mean time between two tokens of an answer, where it is published. */
  readonly secondsPerToken?: number
  readonly server: string
  readonly source: string
  /** What the source does not print and where it is from. */
  readonly inferred?: string
}

const sglang = (path: string, commit: string): string =>
  `sgl-project/sglang-jax docs/cookbook/autoregressive/${path} at ${commit}`
const recipe = (path: string, commit: string): string =>
  `AI-Hypercomputer/tpu-recipes inference/ironwood/vLLM/${path} at ${commit}`

const trillium = (
  name: string,
  slice: string,
  server: string,
  source: string,
  [batch, input, output]: readonly [number, number, number],
  [tokensPerSecond, milliseconds]: readonly [number, number],
): ServedRun => ({
  ...{ chip: 'v6e', slice, model: name, config: modelNamed(name), dtype: 'bfloat16', cacheDtype: 'bfloat16' },
  ...{ batch, input, output, tokensPerSecond, secondsPerToken: milliseconds / 1e3, server, source },
})

/** Both servers of one row: generated tokens a second, and milliseconds between tokens. */
const both = (
  name: string,
  sizes: readonly [number, number, number],
  ours: readonly [number, number],
  vllm: readonly [number, number],
): readonly ServedRun[] => {
  const source = sglang('Qwen/Qwen3.md', '701ccc7')
  return [
    trillium(name, 'v6e-4', 'SGLang-JAX', source, sizes, ours),
    trillium(name, 'v6e-4', 'vLLM', source, sizes, vllm),
  ]
}

const ironwood = (
  name: string,
  slice: string,
  source: string,
  [batch, chunk]: readonly [batch: number, chunk: number],
  rows: readonly (readonly [input: number, output: number, tokensPerSecond: number])[],
): readonly ServedRun[] =>
  rows.map(([input, output, tokensPerSecond]) => ({
    ...{ chip: 'tpu7x', slice, model: name, config: modelNamed(name), dtype: 'float8_e4m3fn' },
    ...{ cacheDtype: 'float8_e4m3fn', batch, chunk, tokensPerSecond },
    ...{ input: Math.round(0.9 * input), output: Math.round(0.9 * output) },
    ...{ server: 'vLLM', source },
    inferred: `lengths 0.9 of ${input} and ${output}: --random-range-ratio=0.8 draws from 0.8 of each to all of it`,
  }))

/**
 * Published measurements of serving on Trillium (v6e) and Ironwood (tpu7x), each of a model whose dimensions are public. Left out:
 * recipes that print no figure, and models with gated delta layers, which `ModelConfig` does not describe; the JetStream recipe of
 * Llama 2 7B, which prints the same figures for v5e and v6e and no number of chips.
 *
 * @example publishedServing.filter(({ chip }) => chip === 'tpu7x').length // 6
 */
export const publishedServing: readonly ServedRun[] = [
  ...both('qwen3-8b', [64, 1024, 1024], [5296.6, 11.11], [3043.58, 18.34]),
  ...both('qwen3-8b', [256, 1024, 1024], [7571.84, 30], [4051.08, 56.81]),
  ...both('qwen3-8b', [64, 4096, 1024], [2528.79, 21.13], [1304.04, 42.2]),
  ...both('qwen3-8b', [64, 8192, 1024], [1458.77, 31.98], [873.82, 58.86]),
  ...both('qwen3-32b', [64, 1024, 1024], [1977.45, 29.48], [1391.29, 42.45]),
  ...both('qwen3-32b', [256, 1024, 1024], [2122.98, 34.27], [1652.79, 68.14]),
  ...both('qwen3-32b', [64, 4096, 1024], [785.3, 35.32], [422.5, 73.64]),
  ...both('qwen3-32b', [64, 8192, 1024], [435.25, 33.43], [199.05, 142.77]),
  trillium(
    ...(['llama3-8b', 'v6e-4', 'SGLang-JAX', sglang('Llama/Llama3.1.md', '047fbd7')] as const),
    ...([
      [16, 265, 258],
      [1448.91, 9.94],
    ] as const),
  ),
  trillium(
    ...(['gemma2-27b', 'v6e-4', 'SGLang-JAX', sglang('Google/Gemma2.md', '047fbd7')] as const),
    ...([
      [16, 506, 524],
      [974.57, 14.47],
    ] as const),
  ),
  trillium(
    ...(['llama3-70b', 'v6e-16', 'SGLang-JAX', sglang('Llama/Llama3.3-70B.md', '047fbd7')] as const),
    ...([
      [16, 506, 524],
      [882.17, 16.33],
    ] as const),
  ),
  trillium(
    ...(['qwen3-30b-a3b', 'v6e-16', 'SGLang-JAX', sglang('Qwen/Qwen3-MoE.md', '047fbd7')] as const),
    ...([
      [16, 506, 524],
      [1476.18, 9.88],
    ] as const),
  ),
  {
    ...trillium(
      'llama3-8b',
      'v6e-1',
      'vLLM',
      'pytorch/xla pull request 9376',
      [512, 1799, 121],
      [957.33, 32.89],
    ),
    chunk: 512,
    inferred: 'v6e-1: the command has --tensor-parallel-size 1, and vllm pull request 16458 runs it on v6e-1',
  },
  ...ironwood(
    'qwen3-32b',
    'tpu7x-2',
    recipe('Qwen3-32B/README.md', '6374419'),
    [320, 4096],
    [
      [1024, 1024, 6556.72],
      [1024, 8192, 3959.56],
      [8192, 1024, 1382.18],
    ],
  ),
  ...ironwood(
    'qwen3-coder-480b-a35b',
    'tpu7x-8',
    recipe('Qwen3-Coder-480B-A35B/README.md', '3146f0e'),
    [64, 8192],
    [
      [1024, 1024, 1919.04],
      [1024, 8192, 2002.62],
      [8192, 1024, 967.98],
    ],
  ),
]
