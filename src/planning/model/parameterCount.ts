import type { Architecture, ParameterTensor } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'

/**
 * How many parameters a model has, exactly.
 *
 * Shape     none. Dtype none. Rounding none: sums of whole numbers, exact up to 2^53.
 * Throws    as `architectureOf`.
 * Source    each family's public modelling code, whose count it equals (transformers 5.23 on 40 configurations).
 *
 * @example parameterCount({ family: 'gpt2', D: 768, L: 12 }) // 124439808
 * @example parameterCount({ family: 'mamba2', D: 768, L: 24 }) // 128989632
 */
export function parameterCount(config: ModelConfig): number {
  const count = countOf(checkedArchitecture('parameterCount', config).tensors)
  if (Number.isSafeInteger(count)) return count
  throw new RangeError(`parameterCount: more parameters than a number counts exactly, 2^53 [${count}]`)
}

/**
 * Every parameter of a model: name, shape, role, how many of it there are.
 *
 * @example parameterTensors({ family: 'mlp', widths: [4, 3] }).map(({ name, elements }) => `${name} ${elements}`) // ['layer1 12', 'layer1.bias 3']
 */
export function parameterTensors(config: ModelConfig): readonly ParameterTensor[] {
  return checkedArchitecture('parameterTensors', config).tensors
}

/** Parameters by what they are counted for. */
export interface ParameterUse {
  readonly total: number
  /** What one token goes through: of the experts only the active ones. */
  readonly active: number
  /** What multiplies each token: no input embedding, no norms and biases, but the output projection, tied or not. */
  readonly matmul: number
  /** The `matmul` ones that one token goes through. */
  readonly activeMatmul: number
}

/**
 * Parameters counted for memory (`total`), for a token (`active`) and for FLOPs (`matmul`, `activeMatmul`).
 *
 * @example parameterUse({ family: 'gpt2', D: 768, L: 12 }).matmul // 123532032
 */
export function parameterUse(config: ModelConfig): ParameterUse {
  return useOf(checkedArchitecture('parameterUse', config))
}

/** `parameterUse` of what is checked already. */
export function useOf({ tensors, mlp, D, V }: Architecture): ParameterUse {
  const share = mlp && mlp.experts > 0 ? mlp.active / mlp.experts : 1
  const total = countOf(tensors)
  const experts = countOf(tensors.filter(({ role }) => role === 'expert'))
  const tied = tensors.every(({ role }) => role !== 'output')
  const multiplied = countOf(tensors.filter(({ inputs }) => inputs > 0)) + (tied ? V * D : 0)
  const idle = Math.round(experts * (1 - share))
  return { total, active: total - idle, matmul: multiplied, activeMatmul: multiplied - idle }
}

const countOf = (tensors: readonly ParameterTensor[]): number =>
  tensors.reduce((sum, { elements }) => sum + elements, 0)
