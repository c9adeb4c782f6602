import { slice } from '../../hardware/index.js'
import {
  estimateMemory,
  findOptimalBatchSize,
  type MemoryEstimate,
  type ModelConfig,
  type ParameterUse,
  parameterUse,
  type Remat,
  type Split,
} from '../../model/index.js'
import { criticalBatch, type TrainingStep, trainingStep } from '../../roofline/index.js'
import { mesh, type StrategyTable, shardingStrategy } from '../../sharding/index.js'

/** What is planned: a model on a slice. */
export interface PlanRequest {
  readonly model: string
  readonly config: ModelConfig
  readonly slice: string
  readonly sequence: number
  /** Default the largest that fits. */
  readonly batch?: number
  readonly split: Split
  readonly paramsDtype: 'bfloat16' | 'float32'
  /** Default 'block' for memory, and no recomputation counted as time. */
  readonly remat?: Remat
}

/** Memory, split, bound, time of a training step, with what was assumed. */
export interface Plan {
  readonly model: string
  readonly slice: string
  readonly chips: number
  readonly parameters: ParameterUse
  readonly batch: number
  readonly largestBatch: number | null
  readonly sequence: number
  readonly memory: MemoryEstimate
  /** Where each parameter goes; why nowhere, where a dimension does not divide. */
  readonly sharding: StrategyTable | string
  readonly step: TrainingStep
  readonly tokensPerChip: number
  readonly criticalTokensPerChip: number
  readonly assumptions: readonly string[]
}

/** Plans a training run: what it takes on each device, what bounds a step, how long one takes. */
export function makePlan({
  model,
  config,
  sequence,
  split,
  paramsDtype,
  remat,
  ...request
}: PlanRequest): Plan {
  const made = slice(request.slice)
  const shared = { slice: made, sequence, split, paramsDtype, remat: remat ?? 'block' } as const
  const largest = request.batch === undefined ? findOptimalBatchSize(config, shared).batch : null
  const batch = request.batch ?? largest ?? made.jaxDevices
  const memory = estimateMemory(config, { ...shared, batch })
  const step = trainingStep(config, {
    ...{ slice: made, batch, sequence, split: memory.split },
    ...(remat === undefined ? {} : { remat }),
  })
  return {
    ...{ model, slice: made.name, chips: made.chips, parameters: parameterUse(config) },
    ...{ batch, largestBatch: largest, sequence, memory, step, sharding: shardingFor(config, memory.split) },
    tokensPerChip: (batch * sequence) / made.chips,
    criticalTokensPerChip: criticalBatch(made.chip.name),
    assumptions: [...memory.assumptions, ...step.assumptions],
  }
}

/** The parameters over a mesh of the ways that there are. */
function shardingFor(config: ModelConfig, split: Required<Split>): StrategyTable | string {
  const ways = (['data', 'fsdp', 'expert', 'tensor'] as const).filter((way) => split[way] > 1)
  const axisNames = ways.length === 0 ? (['fsdp'] as const) : ways
  const devices = mesh({ shape: axisNames.map((way) => split[way]), axisNames })
  try {
    return shardingStrategy(devices, config, { strategy: axisNames })
  } catch (thrown) {
    if (thrown instanceof RangeError) return thrown.message
    throw thrown
  }
}
