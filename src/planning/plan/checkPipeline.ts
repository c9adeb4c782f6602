import { type ModelConfig, pipelineSchedule, pipelineStages } from '../model/index.js'
import type { PlanFinding } from './finding.js'
import type { StepDescription } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`

/** What a pipeline costs: stages that do not divide, that wait, that differ, that hold more than they need. */
export function checkPipeline(config: TpuConfig, model: ModelConfig, step: StepDescription): PlanFinding[] {
  const { pipeline } = step
  if (pipeline === undefined) return []
  const refused = [...stagesOfMesh(config, pipeline.stages), ...divides(config, model, step)]
  if (refused.length > 0) return refused
  return [...bubble(step), ...stages(model, step), ...inFlight(step)]
}

const divisionError = (what: string, evidence: string, remedy: string): PlanFinding => ({
  ...{ rule: 'pipeline-divides', severity: 'error', what, evidence, remedy },
})

const axisOf = ({ mesh }: TpuConfig, names: readonly string[]): number =>
  mesh.axisNames.reduce((n, name, i) => (names.includes(name) ? n * (mesh.shape[i] ?? 1) : n), 1)

function stagesOfMesh(config: TpuConfig, wanted: number): PlanFinding[] {
  const there = axisOf(config, ['pipeline', 'stage'])
  if (there === wanted) return []
  const remedy = `an axis pipeline of ${wanted}, or ${there} stages`
  return [
    divisionError('the mesh has no axis for the stages', `${wanted} stages, ${there} on the mesh`, remedy),
  ]
}

/** Errors of the schedule and of the layers as findings, with the nearest that divides. */
function divides(config: TpuConfig, model: ModelConfig, { pipeline, batch }: StepDescription): PlanFinding[] {
  if (pipeline === undefined) return []
  try {
    pipelineStages(model, pipeline)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    const [, said = '', near = ''] = /^\w+: (.*?), (nearest .*?)?(?: \[|$)/.exec(thrown.message) ?? []
    const remedy = near === '' ? 'another number of stages' : near
    return [divisionError('the pipeline does not divide', said === '' ? thrown.message : said, remedy)]
  }
  const ways = axisOf(config, ['data', 'fsdp', 'expert'])
  const parts = ways * pipeline.microbatches
  if (batch === undefined || batch % parts === 0) return []
  const evidence = `${batch} sequences, ${pipeline.microbatches} microbatches of ${ways} devices that share rows: ${parts} parts`
  const near = Math.max(1, Math.round(batch / parts)) * parts
  return [divisionError('the microbatches do not divide the batch', evidence, `a batch of ${near}`)]
}

/** Above a tenth of the step. */
const muchWaiting = 0.1

function bubble({ pipeline }: StepDescription): PlanFinding[] {
  if (pipeline === undefined) return []
  const { stages, microbatches, virtual, idleShare } = pipelineSchedule(pipeline)
  if (idleShare <= muchWaiting) return []
  // (p - 1) / (v m + p - 1) is a tenth at v m = 9 (p - 1); as many as the stages divide serve every schedule.
  const least = Math.ceil(((1 - muchWaiting) / muchWaiting) * ((stages - 1) / virtual))
  return [
    {
      rule: 'pipeline-bubble',
      severity: 'warning',
      what: 'the stages of the pipeline wait for each other',
      evidence: `${percent(idleShare)} of the step: (p - 1) / (v m) of the time that a stage computes, p ${stages}, m ${microbatches}, v ${virtual}`,
      remedy: `${Math.ceil(least / stages) * stages} microbatches or more, several groups of layers in each stage (interleaved), or fewer stages`,
    },
  ]
}

function stages(model: ModelConfig, { pipeline, sequence = 1 }: StepDescription): PlanFinding[] {
  if (pipeline === undefined) return []
  const shares = pipelineStages(model, { ...pipeline, sequence }).map(({ flopsShare }) => flopsShare)
  const slowest = Math.max(...shares)
  const waiting = 1 - 1 / (slowest * shares.length)
  if (waiting <= muchWaiting) return []
  return [
    {
      rule: 'pipeline-stages',
      severity: 'warning',
      what: 'one stage computes longer than the others',
      evidence: `stage ${shares.indexOf(slowest) + 1} of ${shares.length} has ${percent(slowest)} of the FLOPs: the others wait ${percent(waiting)} of the time for it, with any number of microbatches`,
      remedy: 'fewer layers in the stage of the output projection, or the vocabulary split over all devices',
    },
  ]
}

function inFlight({ pipeline }: StepDescription): PlanFinding[] {
  if (pipeline === undefined || pipeline.stages === 1) return []
  const { schedule, stages, microbatches, virtual } = pipelineSchedule(pipeline)
  if (schedule !== 'gpipe' || microbatches <= stages) return []
  return [
    {
      rule: 'pipeline-in-flight',
      severity: 'note',
      what: 'every stage holds the activations of all microbatches',
      evidence: `gpipe holds ${microbatches} microbatches, 1f1b ${stages} in the first stage and 1 in the last`,
      remedy:
        virtual > 1 ? 'the schedule interleaved, or recomputation' : 'the schedule 1f1b: the same bubble',
    },
  ]
}
