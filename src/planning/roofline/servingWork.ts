import { bitsOf, type PeakDType, type Slice, type StoredDType } from '../hardware/index.js'
import { architectureOf, type ModelConfig, operations, parameterUse } from '../model/index.js'

/** Requests that a model serves on a slice. */
export interface ServingWork {
  readonly config: ModelConfig
  readonly made: Slice
  readonly batch: number
  readonly input: number
  readonly output: number
  readonly dtype: PeakDType
  readonly weightsDtype: StoredDType
  readonly cacheDtype: StoredDType
}

/** FLOPs of one sequence: `tokens` behind `context - tokens` others; only the last of them gets logits. */
export function flopsOf(config: ModelConfig, tokens: number, context: number): number {
  return operations(config, { batch: 1, sequence: tokens, context }).reduce(
    (sum, { name, copies, forward }) => {
      return sum + copies * forward.flops * (name === 'output' ? 1 / tokens : 1)
    },
    0,
  )
}

/** FLOPs of one prompt in chunks. */
export function promptFlops(config: ModelConfig, input: number, chunk: number): number {
  let sum = 0
  for (
    let end = Math.min(chunk, input), start = 0;
    start < input;
    start = end, end = Math.min(input, end + chunk)
  ) {
    sum += flopsOf(config, end - start, end)
  }
  return sum
}

/** The mean of a quantity over the contexts of an answer: no more than its own mean where it grows slower and slower. */
export const overAnswer = ({ input, output }: ServingWork, of: (context: number) => number): number =>
  (of(input + 1) + of(input + output)) / 2

/** Bytes of the weights that a step reads: of experts those that its tokens are routed to, evenly, or the fewest. */
export function weightBytes(
  { config, weightsDtype }: ServingWork,
  tokens: number | 'fewest',
  dtype: StoredDType = weightsDtype,
): number {
  const { matmul, activeMatmul } = parameterUse(config)
  const { mlp } = architectureOf(config)
  const idle = mlp && mlp.experts > 0 ? 1 - mlp.active / mlp.experts : 0
  if (idle === 0) return (matmul * bitsOf(dtype)) / 8
  const experts = (matmul - activeMatmul) / idle
  const read = tokens === 'fewest' ? 1 - idle : 1 - idle ** tokens
  return ((matmul - experts + read * experts) * bitsOf(dtype)) / 8
}
