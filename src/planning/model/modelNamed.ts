import { nearestName, shown } from '../../base/options/index.js'
import type { ModelConfig } from './config.js'

const decoder = (
  D: number,
  F: number,
  L: number,
  heads: readonly [N: number, K: number],
  V: number,
  rest: {
    readonly experts?: number
    readonly H?: number
    readonly tie?: boolean
    readonly norms?: number
  } = {},
): ModelConfig => ({ family: 'decoder', D, F, L, N: heads[0], K: heads[1], V, ...rest })

/**
 * Configurations of public models by name. Their counts are those of the public modelling code (transformers 5.23); of
 * mixtral-8x22b and palm-540b the configurations that their authors publish.
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
