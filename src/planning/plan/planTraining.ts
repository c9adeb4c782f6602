import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type Slice, sliceOf } from '../hardware/index.js'
import {
  estimateMemory,
  findOptimalBatchSize,
  type MemoryEstimate,
  type ModelConfig,
  type ParameterUse,
  type PipelineOptions,
  parameterUse,
  type Remat,
  rematText,
  type Split,
  type Ways,
} from '../model/index.js'
import { criticalBatch, type TrainingStep, trainingStep } from '../roofline/index.js'
import { mesh, type StrategyTable, shardingStrategy } from '../sharding/index.js'
import { waysOf } from './meshAxes.js'

/** The training run that is planned. */
export interface PlanTrainingOptions {
  readonly slice: string | Slice
  readonly sequence: number
  /** Sequences of a step; default the most that fit. */
  readonly batch?: number
  /** Ways of each kind of parallelism, default fsdp over every device. */
  readonly split?: Split
  /** Default 'float32', as MaxText's; products are in bfloat16. */
  readonly paramsDtype?: 'bfloat16' | 'float32'
  /** What is computed again, for memory and time alike. Default 'block', MaxText's 'full'. */
  readonly remat?: Remat
  /** Stages that share the layers, each with the ways of `split`. Default none. */
  readonly pipeline?: PipelineOptions
}

const names: OptionTable<PlanTrainingOptions> = {
  ...{ slice: 'required', sequence: 'required', batch: 'optional', split: 'optional' },
  ...{ paramsDtype: 'optional', remat: 'optional', pipeline: 'optional' },
}

/** Memory, split, bound, time of a training step, with what was assumed. */
export interface TrainingPlan {
  /** The slice by its name, and its chips. */
  readonly slice: string
  readonly chips: number
  readonly parameters: ParameterUse
  readonly batch: number
  /** The batch again where it is the largest that fits, null where it was given. */
  readonly largestBatch: number | null
  readonly sequence: number
  readonly memory: MemoryEstimate
  /** Where each parameter goes; why nowhere, where a dimension does not divide. */
  readonly sharding: StrategyTable | string
  readonly step: TrainingStep
  /** Sequences a second, of the estimate; null where there is none. */
  readonly samplesPerSecond: number | null
  readonly tokensPerChip: number
  readonly criticalTokensPerChip: number
  readonly assumptions: readonly string[]
}

/**
 * Plans a training run: what it takes on each device, where each parameter goes, what bounds a step and how long one takes. What
 * `tpu-toolkit plan` prints.
 *
 * Throws    RangeError for a model, a slice or a split that is none, and where not even the smallest batch fits.
 *
 * @example planTraining({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-8', sequence: 1024, batch: 64 }).memory.fits // true
 */
export function planTraining(config: ModelConfig, options: PlanTrainingOptions): TrainingPlan {
  checkOptions('planTraining', options, names)
  const { sequence, split, paramsDtype = 'float32', remat = 'block', pipeline } = options
  const made = sliceOf('planTraining', options.slice)
  const shared = {
    ...{ slice: made, sequence, paramsDtype, remat },
    ...(split === undefined ? {} : { split }),
    ...(pipeline === undefined ? {} : { pipeline }),
  } as const
  const largest = options.batch === undefined ? findOptimalBatchSize(config, shared).batch : null
  const batch = options.batch ?? largest ?? made.jaxDevices
  const memory = estimateMemory(config, { ...shared, batch })
  const step = trainingStep(config, {
    ...{ slice: made, batch, sequence, split: memory.split, remat },
    ...(pipeline === undefined ? {} : { pipeline }),
  })
  return {
    ...{ slice: made.name, chips: made.chips, parameters: parameterUse(config) },
    ...{
      batch,
      largestBatch: largest,
      sequence,
      memory,
      step,
      sharding: spread(config, memory.split, pipeline?.stages),
    },
    samplesPerSecond: step.estimateSeconds === null ? null : batch / step.estimateSeconds,
    tokensPerChip: (batch * sequence) / made.chips,
    criticalTokensPerChip: criticalBatch(made.chip.name),
    assumptions: [planLine(remat, paramsDtype), ...memory.assumptions, ...step.assumptions],
  }
}

/** What memory and time are of, in one line. */
function planLine(remat: Remat, paramsDtype: string): string {
  const own = remat === 'block' && paramsDtype === 'float32'
  return `remat ${rematText(remat)}, of memory and time alike, with ${paramsDtype} weights and bfloat16 compute${own ? ", MaxText's defaults" : ''}`
}

/** The parameters over a mesh of the ways that there are. */
function spread(config: ModelConfig, split: Ways, stages: number = 1): StrategyTable | string {
  const ways = waysOf(split)
  const piped = stages > 1 ? (['pipeline'] as const) : []
  const shape = [...piped.map(() => stages), ...ways.map((way) => split[way] ?? 1)]
  const devices = mesh({ shape, axisNames: [...piped, ...ways] })
  // Positions are no dimension of a parameter.
  const strategy = [...piped, ...ways.flatMap((way) => (way === 'context' ? [] : [way]))]
  try {
    return shardingStrategy(devices, config, { strategy })
  } catch (thrown) {
    if (thrown instanceof RangeError) return thrown.message
    throw thrown
  }
}
