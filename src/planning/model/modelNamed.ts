import { nearestName, shown } from '../../base/options/index.js'
import type { DecoderConfig, ModelConfig } from './config.js'

const decoder = (
  D: number,
  F: number,
  L: number,
  heads: readonly [N: number, K: number],
  V: number,
  rest: Partial<DecoderConfig> = {},
): ModelConfig => ({ family: 'decoder', D, F, L, N: heads[0], K: heads[1], V, ...rest })

const gptOss = {
  ...{ H: 64, active: 4, window: 128, globalEvery: 2, sinks: true, qkvBias: true, oBias: true },
  ...{ mlpBias: true, routerBias: true },
} as const

const gemma3 = {
  tie: true,
  norms: 4,
  qkNorm: true,
  window: 1024,
  globalEvery: 6,
  embeddingScale: true,
} as const

/**
 * Configurations of public models by name. Their counts are those of the public modelling code (transformers 5.23); of
 * mixtral-8x22b and palm-540b, and of Gemma from 2 on, gpt-oss, DeepSeek V3, Qwen 3 and Llama 4 (text alone), the
 * configurations that their authors publish, as MaxText's configs/models has them.
 */
const models: Readonly<Record<string, ModelConfig>> = {
  gpt2: { family: 'gpt2', D: 768, L: 12 },
  'gpt2-medium': { family: 'gpt2', D: 1024, L: 24 },
  'gpt2-large': { family: 'gpt2', D: 1280, L: 36 },
  'gpt2-xl': { family: 'gpt2', D: 1600, L: 48 },
  'llama2-7b': decoder(4096, 11008, 32, [32, 32], 32000),
  'llama2-13b': decoder(5120, 13824, 40, [40, 40], 32000),
  'llama2-70b': decoder(8192, 28672, 80, [64, 8], 32000),
  'llama3-8b': decoder(4096, 14336, 32, [32, 8], 128256),
  'llama3-70b': decoder(8192, 28672, 80, [64, 8], 128256),
  'llama3.1-405b': decoder(16384, 53248, 126, [128, 8], 128256),
  'mistral-7b': decoder(4096, 14336, 32, [32, 8], 32000),
  'mixtral-8x7b': decoder(4096, 14336, 32, [32, 8], 32000, { experts: 8 }),
  'mixtral-8x22b': decoder(6144, 16384, 56, [48, 8], 32768, { experts: 8 }),
  'palm-540b': decoder(18432, 73728, 118, [48, 1], 256000, { H: 256, tie: true, norms: 1 }),
  'gpt3-175b': { family: 'gpt2', D: 12288, L: 96, N: 96, V: 50304, T: 2048 },
  'gemma2-9b': decoder(3584, 14336, 42, [16, 8], 256000, {
    ...{ H: 256, tie: true, norms: 4, window: 4096, globalEvery: 2, embeddingScale: true },
  }),
  'gemma2-27b': decoder(4608, 36864, 46, [32, 16], 256000, {
    ...{ H: 128, tie: true, norms: 4, window: 4096, globalEvery: 2, embeddingScale: true },
  }),
  'gemma3-12b': decoder(3840, 15360, 48, [16, 8], 262208, { H: 256, ...gemma3 }),
  'gemma3-27b': decoder(5376, 21504, 62, [32, 16], 262208, { H: 128, ...gemma3 }),
  'gemma4-31b': decoder(5376, 21504, 60, [32, 16], 262144, {
    ...{ ...gemma3, H: 256, globalH: 512, globalK: 4, keysAreValues: true },
  }),
  'gemma4-26b': decoder(2816, 2112, 30, [16, 8], 262144, {
    ...{ ...gemma3, H: 256, globalH: 512, globalK: 2, keysAreValues: true },
    ...{ experts: 128, active: 8, expertF: 704, sharedExperts: 3 },
  }),
  'gpt-oss-20b': decoder(2880, 2880, 24, [64, 8], 201088, { ...gptOss, experts: 32 }),
  'gpt-oss-120b': decoder(2880, 2880, 36, [64, 8], 201088, { ...gptOss, experts: 128 }),
  'deepseek-v3': decoder(7168, 18432, 61, [128, 128], 129280, {
    ...{ H: 128, kvRank: 512, qRank: 1536, ropeH: 64, vH: 128 },
    ...{ experts: 256, active: 8, expertF: 2048, sharedExperts: 1, denseLayers: 3, routerBias: true },
  }),
  'qwen3-8b': decoder(4096, 12288, 36, [32, 8], 151936, { H: 128, qkNorm: true }),
  'qwen3-32b': decoder(5120, 25600, 64, [64, 8], 151936, { H: 128, qkNorm: true }),
  'qwen3-30b-a3b': decoder(2048, 768, 48, [32, 4], 151936, {
    ...{ H: 128, qkNorm: true, experts: 128, active: 8 },
  }),
  'qwen3-coder-480b-a35b': decoder(6144, 2560, 62, [96, 8], 151936, {
    ...{ H: 128, qkNorm: true, experts: 160, active: 8 },
  }),
  'qwen3-235b-a22b': decoder(4096, 1536, 94, [64, 4], 151936, {
    ...{ H: 128, qkNorm: true, experts: 128, active: 8 },
  }),
  'llama4-scout': decoder(5120, 16384, 48, [40, 8], 202048, {
    ...{ H: 128, experts: 16, active: 1, expertF: 8192, sharedExperts: 1 },
  }),
  'llama4-maverick': decoder(5120, 16384, 48, [40, 8], 202048, {
    ...{ H: 128, experts: 128, active: 1, expertF: 8192, sharedExperts: 1, expertEvery: 2 },
  }),
  'gemma-2b': decoder(2048, 16384, 18, [8, 1], 256000, { H: 256, tie: true }),
  'mamba2-130m': { family: 'mamba2', D: 768, L: 24 },
  'mamba2-370m': { family: 'mamba2', D: 1024, L: 48 },
  'mamba2-780m': { family: 'mamba2', D: 1536, L: 48 },
  'mamba2-1.3b': { family: 'mamba2', D: 2048, L: 48 },
  'mamba2-2.7b': { family: 'mamba2', D: 2560, L: 64 },
  'mamba-130m': { family: 'mamba1', D: 768, L: 24 },
}

/** The names that `modelNamed` knows. */
export const modelNames: readonly string[] = Object.keys(models)

/**
 * The configuration of a public model.
 *
 * Throws    RangeError for an unknown name; the nearest one is named.
 *
 * @example modelNamed('gpt2') // { family: 'gpt2', D: 768, L: 12 }
 * @example modelNamed('lama3-8b') // throws modelNamed: unknown model, did you mean llama3-8b [lama3-8b]
 */
export function modelNamed(name: string): ModelConfig {
  const found = Object.hasOwn(models, name) ? models[name] : undefined
  if (found) return found
  const near = typeof name === 'string' ? nearestName(name, modelNames) : undefined
  const advice = near === undefined ? `there are ${modelNames.join(', ')}` : `did you mean ${near}`
  throw new RangeError(`modelNamed: unknown model, ${advice} [${shown(name)}]`)
}
