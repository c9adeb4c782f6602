import { architectureOf, estimateMemory, type ModelConfig } from '../model/index.js'
import { padding } from '../mxu/index.js'
import { type Mesh, shardShape } from '../sharding/index.js'
import { checkPipeline } from './checkPipeline.js'
import { bytesText, type PlanFinding } from './finding.js'
import type { StepDescription } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`

/** What does not fit: in memory, in the matrix units, on the mesh. */
export function checkLayout(config: TpuConfig, model: ModelConfig, step: StepDescription): PlanFinding[] {
  return [
    ...memory(config, model, step),
    ...alignment(config, model),
    ...criticalBatch(config, step),
    ...changingShapes(step),
    ...batchOverFsdp(config, step),
    ...parametersDivide(config, model, step),
    ...checkPipeline(config, model, step),
  ]
}

function memory(config: TpuConfig, model: ModelConfig, step: StepDescription): PlanFinding[] {
  const { batch, sequence, pipeline } = step
  const { mesh, slice, paramsDtype, remat } = config
  if (batch === undefined || sequence === undefined) return []
  // What does not divide is a finding of its own.
  if (checkPipeline(config, model, step).some(({ rule }) => rule === 'pipeline-divides')) return []
  const ways = (name: string): number => mesh.shape[mesh.axisNames.indexOf(name)] ?? 1
  const split = {
    data: ways('data'),
    fsdp: ways('fsdp'),
    tensor: ways('tensor') * ways('model'),
    expert: ways('expert'),
  }
  const stages = ways('pipeline') * ways('stage')
  if (split.data * split.fsdp * split.tensor * split.expert * stages !== mesh.size) return []
  if (stages !== (pipeline?.stages ?? 1)) return []
  const { fits, bytesPerDevice, usableBytesPerDevice, perDevice } = estimateMemory(model, {
    ...{ slice, batch, sequence, split, paramsDtype, remat },
    ...(pipeline === undefined ? {} : { pipeline }),
  })
  if (fits) return []
  const largest = Object.entries(perDevice).reduce((a, b) => (b[1] > a[1] ? b : a))
  return [
    {
      rule: 'memory',
      severity: 'error',
      what: 'the model does not fit',
      evidence: `${bytesText(bytesPerDevice)} on each device, ${bytesText(usableBytesPerDevice)} usable; most of it ${largest[0]}, ${bytesText(largest[1])}`,
      remedy: `${bytesPerDevice < 2 * usableBytesPerDevice ? 'a smaller batch, remat of whole blocks, bfloat16 parameters' : 'more fsdp ways on a larger slice'}; findOptimalBatchSize says what fits`,
    },
  ]
}

function alignment({ slice }: TpuConfig, model: ModelConfig): PlanFinding[] {
  const side = slice.chip.mxuSide
  const { attention, V } = architectureOf(model)
  const found: PlanFinding[] = []
  if (attention !== undefined) {
    const { padded, waste } = padding(attention.H, side)
    if (waste > 0) {
      found.push({
        rule: 'head-alignment',
        severity: 'warning',
        what: `heads of ${attention.H} do not fill arrays of ${side}`,
        evidence: `${attention.H} is padded to ${padded}: ${percent(waste)} of the passes of attention do nothing, at most`,
        remedy: `heads of ${padded}, fewer of them`,
      })
    }
  }
  if (V > 0) {
    const { padded, waste } = padding(V, side)
    if (waste > 0) {
      found.push({
        rule: 'vocabulary-alignment',
        severity: 'warning',
        what: `a vocabulary of ${V} does not fill arrays of ${side}`,
        evidence: `${V} is padded to ${padded}: ${percent(waste)} of the output's passes; and V divides into fewer parts`,
        remedy: `pad the vocabulary to ${padded}`,
      })
    }
  }
  return found
}

function criticalBatch(config: TpuConfig, { batch, sequence }: StepDescription): PlanFinding[] {
  const { criticalIntensity, slice, precision } = config
  if (criticalIntensity === null || batch === undefined || sequence === undefined) return []
  const tokens = (batch * sequence) / slice.chips
  if (tokens >= criticalIntensity) return []
  const least = Math.ceil((criticalIntensity * slice.chips) / sequence)
  return [
    {
      rule: 'critical-batch',
      severity: 'warning',
      what: 'products with weights are bound by HBM',
      evidence: `${Number(tokens.toPrecision(3))} tokens a chip, ${Math.round(criticalIntensity)} operations a byte are needed in ${precision} (peak over HBM rate)`,
      remedy: `a batch of ${least} sequences or more, or fewer chips`,
    },
  ]
}

function changingShapes({ batchShapes }: StepDescription): PlanFinding[] {
  const shapes = new Set((batchShapes ?? []).map((shape) => shape.join('x')))
  if (shapes.size <= 1) return []
  return [
    {
      rule: 'changing-shapes',
      severity: 'warning',
      what: 'the step compiles again for every shape',
      evidence: `${shapes.size} shapes among ${batchShapes!.length} batches: ${[...shapes].slice(0, 4).join(', ')}`,
      remedy: 'pad to a few fixed lengths, and drop or pad the last batch',
    },
  ]
}

/** Axes whose devices see rows of their own: parameters split over fsdp are gathered for use. */
const rowAxes: readonly string[] = ['data', 'fsdp', 'expert']

function batchOverFsdp({ mesh }: TpuConfig, { batchAxes }: StepDescription): PlanFinding[] {
  if (batchAxes === undefined) return []
  const sizeOf = (name: string): number => mesh.shape[mesh.axisNames.indexOf(name)]!
  const missing = mesh.axisNames.filter(
    (name) => rowAxes.includes(name) && sizeOf(name) > 1 && !batchAxes.includes(name),
  )
  if (missing.length === 0) return []
  const times = missing.reduce((n, name) => n * sizeOf(name), 1)
  return [
    {
      rule: 'batch-over-fsdp',
      severity: 'error',
      what: `the batch is not split over ${missing.join(', ')}`,
      evidence: `${times} devices compute the same rows: the step does ${times} times the work`,
      remedy: `P((${[...batchAxes, ...missing].map((name) => `'${name}'`).join(', ')})) for the batch`,
    },
  ]
}

function parametersDivide(
  { mesh }: TpuConfig,
  model: ModelConfig,
  { parameterSpecs }: StepDescription,
): PlanFinding[] {
  if (parameterSpecs === undefined) return []
  const refused: string[] = []
  for (const { name, shape } of architectureOf(model).tensors) {
    const spec = parameterSpecs === 'first-dimension' ? [fsdpOf(mesh)] : parameterSpecs[name]
    if (spec === undefined) continue
    try {
      shardShape(mesh, spec, shape)
    } catch (error) {
      refused.push(`${name} ${String(error).replace(/^.*shardShape: | \[.*$/g, '')}`)
    }
  }
  if (refused.length === 0) return []
  const more = refused.length > 3 ? `; and ${refused.length - 3} more` : ''
  return [
    {
      rule: 'parameters-divide',
      severity: 'error',
      what: `${refused.length} parameters cannot be split as they are to be`,
      evidence: refused.slice(0, 3).join('; ') + more,
      remedy:
        'a rule for every kind of parameter: shardingStrategy has one; norms, biases and counts stay whole',
    },
  ]
}

const fsdpOf = ({ axisNames }: Mesh): string => (axisNames.includes('fsdp') ? 'fsdp' : axisNames.at(-1)!)
