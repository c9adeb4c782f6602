import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Architecture, ParameterTensor } from './architecture.js'
import { parameter } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { operationsOf } from './operations.js'
import { type PipelineOptions, type PipelineSchedule, pipelineNames, scheduleOf } from './pipelineSchedule.js'
import { checkSizes, nearestDivisor } from './sizes.js'

/** What one stage of a pipeline has of a model. */
export interface PipelineStage {
  readonly stage: number
  readonly layers: number
  /** The first stage has the embedding, the last one the output projection too. */
  readonly parameters: number
  /** Its share of the FLOPs of a step; 1 over the stages where all take the same time. */
  readonly flopsShare: number
}

/** A pipeline, and the sequence that weighs attention against the rest. */
export interface PipelineStagesOptions extends PipelineOptions {
  /** Tokens of a sequence, default 1. */
  readonly sequence?: number
}

const names: OptionTable<PipelineStagesOptions> = { ...pipelineNames, sequence: 'optional' }

/**
 * The layers of a model over the stages of a pipeline, as many in each; the embedding is on the first, the output projection on
 * the last one, and an embedding that is both is on both. Of layers that differ each stage has its share of each kind.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError where stages times groups of layers do not divide the layers, and for dense layers without a common width.
 *
 * @example pipelineStages({ family: 'gpt2', D: 768, L: 12 }, { stages: 4, microbatches: 8 }).map(({ layers }) => layers) // [3, 3, 3, 3]
 */
export function pipelineStages(
  config: ModelConfig,
  options: PipelineStagesOptions,
): readonly PipelineStage[] {
  const op = 'pipelineStages'
  const model = checkedArchitecture(op, config)
  checkOptions(op, options, names)
  const { sequence = 1, ...pipeline } = options
  checkSizes(op, { sequence })
  const models = stageArchitectures(op, model, scheduleOf(op, pipeline))
  const shares = flopsShares(models, sequence)
  return models.map(({ L, tensors }, stage) => ({
    ...{ stage, layers: L, flopsShare: shares[stage] ?? 0 },
    parameters: tensors.reduce((sum, { elements }) => sum + elements, 0),
  }))
}

/** The share of each stage of the FLOPs of a step, at a sequence length. */
function flopsShares(models: readonly Architecture[], sequence: number): readonly number[] {
  const flops = models.map((model) =>
    operationsOf(model, { batch: 1, sequence }).reduce(
      (sum, { copies, forward, backward }) => sum + copies * (forward.flops + backward.flops),
      0,
    ),
  )
  const all = flops.reduce((sum, one) => sum + one, 0)
  return flops.map((one) => one / all)
}

/** Each stage as an architecture of its own. */
export function stageArchitectures(
  op: string,
  model: Architecture,
  { stages, virtual }: Pick<PipelineSchedule, 'stages' | 'virtual'>,
): readonly Architecture[] {
  if (model.family === 'mlp') {
    throw new RangeError(`${op}: dense layers of any widths have no equal stages [family mlp]`)
  }
  const groups = stages * virtual
  if (model.L % groups !== 0) {
    throw new RangeError(
      `${op}: ${stages} stages of ${virtual} group${virtual === 1 ? '' : 's'} do not divide the layers, nearest ${nearestDivisor(model.L, groups)} in all [${model.L} layers]`,
    )
  }
  return Array.from({ length: stages }, (_, stage) => stageOf(model, stages, stage))
}

function stageOf(model: Architecture, stages: number, stage: number): Architecture {
  const [first, last] = [stage === 0, stage === stages - 1]
  const tied = model.V > 0 && model.tensors.every(({ role }) => role !== 'output')
  const kept = model.tensors.flatMap((tensor): ParameterTensor[] => {
    if (isOfLayers(tensor)) {
      return [{ ...tensor, copies: tensor.copies / stages, elements: tensor.elements / stages }]
    }
    const embedded = tensor.role === 'input-embedding' || tensor.role === 'position-embedding'
    return (embedded ? first : last) ? [tensor] : []
  })
  const { D, V } = model
  return {
    ...model,
    L: model.L / stages,
    V: last ? V : 0,
    groups: model.groups.map((group) => ({ ...group, copies: group.copies / stages })),
    tensors: last && tied && !first ? [...kept, parameter('output', 'output', { D, V }, 1)] : kept,
  }
}

/** Whether a parameter belongs to the layers, of which each stage has its own. */
const isOfLayers = ({ name }: Pick<ParameterTensor, 'name'>): boolean => name.startsWith('layer.')
