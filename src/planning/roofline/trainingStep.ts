import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type PeakDType, peakOpsPerSecond, type Slice, sliceOf } from '../hardware/index.js'
import {
  architectureOf,
  type ModelConfig,
  operations,
  type PipelineOptions,
  type PipelineSchedule,
  parameterUse,
  pipelineSchedule,
  pipelineStages,
  type Remat,
  rematText,
  type Split,
  trainingFlops,
  type Ways,
} from '../model/index.js'
import { bestRates } from './bestRates.js'
import { type Basis, estimateCompute } from './estimate.js'
import type { Measured } from './published.js'

/** The step, and its sharding over the slice. */
export interface TrainingStepOptions {
  readonly slice: string | Slice
  /** Sequences of a step, over all slices. */
  readonly batch: number
  readonly sequence: number
  /** Ways of each kind of parallelism, default fsdp over every device. */
  readonly split?: Split
  /** Slices that share the batch over the data-centre network, default 1. */
  readonly slices?: number
  /** Of products with weights, default bfloat16; attention is in bfloat16. */
  readonly dtype?: PeakDType
  /** What is computed again and counted as time; default 'everything': nothing is. */
  readonly remat?: Remat
  /** Stages that share the layers: the ways of `split` are then those of each stage. Default none. */
  readonly pipeline?: PipelineOptions
}

const names: OptionTable<TrainingStepOptions> = {
  ...{ slice: 'required', batch: 'required', sequence: 'required', split: 'optional', slices: 'optional' },
  ...{ dtype: 'optional', remat: 'optional', pipeline: 'optional' },
}

/** What takes time in a step: each alone, at peak rates. */
export interface StepTerms {
  readonly compute: number
  readonly hbm: number
  readonly ici: number
  readonly dcn: number
  readonly pcie: number
}

/** The time of a training step: its bounds, and an estimate. */
export interface TrainingStep {
  readonly slice: Slice
  readonly tokens: number
  /** Model FLOPs, half of the pairs of positions counted. */
  readonly modelFlops: number
  readonly seconds: StepTerms
  /** No step is faster, however it is split and overlapped. */
  readonly lowerBoundSeconds: number
  /** The sum of all terms, without overlap, at peak rates. */
  readonly serialSeconds: number
  /** With the generation's constant; null where nothing was measured. */
  readonly estimateSeconds: number | null
  /** The largest term of the estimate. */
  readonly boundBy: keyof StepTerms
  readonly tokensPerSecond: number | null
  /** Model FLOPs over peak, of the estimate. */
  readonly mfu: number | null
  /** 'bound' where no published run carries an estimate: then `estimateSeconds` is null. */
  readonly kind: 'estimate' | 'bound'
  /** The published runs that the estimate rests on, and the largest relative error of its constants on them. */
  readonly calibration: { readonly points: readonly Measured[]; readonly spread: number }
  /** The pipeline's schedule and the share of the step that its slowest stage makes the others wait, where there is one. */
  readonly pipeline?: PipelineSchedule & { readonly waiting: number }
  readonly assumptions: readonly string[]
}

/**
 * How long a training step takes: a lower bound, the terms that bound it, and an estimate with its assumptions.
 *
 * Shape     none. Dtype of products by option. Rounding none.
 * Throws    RangeError for an invalid model, slice or size, and for a split that the devices do not have.
 * Error     the estimate: see `calibration` and `runErrors`; the bound: below all published runs.
 * Source    the scaling book, part 5, for the bytes of each kind of parallelism.
 *
 * @example trainingStep({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-8', batch: 512, sequence: 1024 }).boundBy // 'compute'
 */
export function trainingStep(config: ModelConfig, options: TrainingStepOptions): TrainingStep {
  const op = 'trainingStep'
  checkOptions(op, options, names)
  const { batch, sequence, slices = 1, dtype = 'bfloat16', remat = 'everything' } = options
  for (const [name, value] of Object.entries({ batch, sequence, slices })) checkInteger(op, name, value, 1)
  const made = sliceOf(op, options.slice)
  const { chip, chips } = made
  const pipeline = options.pipeline === undefined ? undefined : pipelineSchedule(options.pipeline)
  const split = splitOf(op, made, options.split, pipeline?.stages)
  const step: Step = { config, made, split, batch, sequence, slices, pipeline }
  const peak = peakOpsPerSecond(chip, dtype)
  const all = slices * chips
  const longer = pipeline === undefined ? 1 : pipelineFactor(config, pipeline, sequence)
  const computeAt = (attention: 'full' | 'causal'): number => {
    const flops = trainingFlops(config, { batch, sequence, attention, remat })
    const again = flops.hardware / flops.model
    return (
      (again * (flops.matmul / peak + (flops.attention + flops.scan) / chip.bfloat16FlopsPerSecond)) / all
    )
  }
  const seconds: StepTerms = {
    compute: longer * computeAt('causal'),
    hbm: hbmSeconds(step),
    ici: iciSeconds(step),
    dcn: dcnSeconds(step),
    pcie: chip.pcieBytesPerSecond === null ? 0 : (4 * batch * sequence) / all / chip.pcieBytesPerSecond,
  }
  const basis =
    pipeline === undefined
      ? estimateCompute(config, {
          ...{ chip, sequence, dtype, slices, expertWays: split.expert },
          tokensPerChip: (batch * sequence) / all,
        })
      : uncalibrated
  const estimated = { ...seconds, compute: basis.seconds ?? seconds.compute }
  const estimateSeconds = basis.seconds === null ? null : Math.max(...Object.values(estimated))
  const { model: modelFlops } = trainingFlops(config, { batch, sequence })
  const tokens = batch * sequence
  return {
    ...{ slice: made, tokens, modelFlops, seconds, estimateSeconds, boundBy: largest(estimated) },
    lowerBoundSeconds: lowerBound(config, made, (longer * modelFlops) / all, dtype, slices),
    serialSeconds: Object.values(seconds).reduce((sum, term) => sum + term, 0),
    tokensPerSecond: estimateSeconds === null ? null : tokens / estimateSeconds,
    mfu: estimateSeconds === null ? null : modelFlops / estimateSeconds / (all * peak),
    kind: estimateSeconds === null ? 'bound' : 'estimate',
    calibration: { points: basis.points, spread: basis.spread },
    ...(pipeline === undefined ? {} : { pipeline: { ...pipeline, waiting: 1 - 1 / longer } }),
    assumptions: [...pipelineLines(pipeline), ...assumptionsOf(basis.lines, remat)],
  }
}

const uncalibrated: Basis = {
  ...{ seconds: null, points: [], spread: Number.NaN },
  lines: ['no published run with pipeline parallelism on a TPU was found to fit on: a bound, no estimate'],
}

/**
 * How much longer a step with a pipeline computes than one whose devices all compute all the time. A stage computes its share of
 * every microbatch; before it the first one passes through the first group of layers of each stage in front, and the last one
 * passes back. Where all stages take the same time, 1 + (p - 1) / (v m).
 */
function pipelineFactor(config: ModelConfig, pipeline: PipelineSchedule, sequence: number): number {
  const { stages, microbatches, virtual } = pipeline
  let [before, longest] = [0, 0]
  for (const { flopsShare } of pipelineStages(config, { stages, microbatches, virtual, sequence })) {
    longest = Math.max(longest, stages * flopsShare + before)
    before += (stages * flopsShare) / virtual / microbatches
  }
  return longest
}

function pipelineLines(pipeline: PipelineSchedule | undefined): readonly string[] {
  if (pipeline === undefined) return []
  const { schedule, stages, microbatches, virtual, idleShare } = pipeline
  return [
    `pipeline ${schedule} of ${stages} stages and ${microbatches} microbatches${virtual > 1 ? `, ${virtual} groups of layers in each stage` : ''}: stages of equal time wait ${(100 * idleShare).toFixed(1)} % of the step; the compute term is that of the slowest stage, with the bubble`,
    'transfers between stages overlap with compute; weights are gathered once a step, not for each microbatch',
  ]
}

interface Step {
  readonly config: ModelConfig
  readonly made: Slice
  readonly split: Ways
  readonly batch: number
  readonly sequence: number
  readonly slices: number
  readonly pipeline: PipelineSchedule | undefined
}

function splitOf(op: string, made: Slice, given: Split = {}, stages: number = 1): Ways {
  const asked = { data: 1, fsdp: 1, tensor: 1, expert: 1, ...given }
  for (const [name, ways] of Object.entries(asked)) checkInteger(op, name, ways, 1)
  const { data, tensor, expert, context = 1 } = asked
  const devices = made.jaxDevices / stages
  const rest = devices / (data * tensor * expert * context)
  if (given.fsdp === undefined && Number.isInteger(rest)) return { ...asked, fsdp: rest }
  if (rest === asked.fsdp) return asked
  const near = Number.isInteger(rest) ? `fsdp ${rest}` : `fsdp ${devices} alone`
  throw new RangeError(
    `${op}: the split multiplies to ${data * asked.fsdp * tensor * expert} devices and ${made.name} has ${devices}${stages > 1 ? ` in each of ${stages} stages` : ''}, nearest ${near} [${Object.values(asked).join(' x ')}]`,
  )
}

/** Activations and gathered weights of every operation, and the optimizer's pass over weights, gradients and two moments. */
function hbmSeconds({ config, made, split, batch, sequence, slices, pipeline }: Step): number {
  const { stages = 1, microbatches = 1 } = pipeline ?? {}
  const ways = split.data * split.fsdp * split.expert * (split.context ?? 1) * slices * microbatches
  const listed = operations(config, { batch: Math.max(1, Math.round(batch / ways)), sequence })
  const bytes = listed.reduce(
    (sum, { copies, forward, backward }) =>
      sum + (microbatches / stages) * copies * (forward.bytes + backward.bytes),
    0,
  )
  const updated =
    (parameterUse(config).total / (stages * split.fsdp * split.tensor * split.expert)) * updateBytes
  return ((bytes / split.tensor + updated) * made.chip.jaxDevices) / made.chip.hbmBytesPerSecond
}

/** Weights and two float32 moments read and written, gradients read: 2 + 2 + 2 + 16 bytes. */
const updateBytes = 22

function iciSeconds({ config, made, split, batch, sequence, slices, pipeline }: Step): number {
  const { chip, topology, wrap } = made
  const link = chip.iciBytesPerSecondPerLink
  if (link === null || made.chips === 1) return 0
  const { data, fsdp, tensor, expert } = split
  const size = bitsOf('bfloat16') / 8
  const { stages = 1, virtual = 1 } = pipeline ?? {}
  const weights = (size * parameterUse(config).total) / (tensor * expert * stages)
  const { D, L, attention, mlp, groups } = architectureOf(config)
  const copies = groups.reduce((sum, group) => sum + group.copies * (group.mlp?.active ?? 0), 0)
  const tokens = (batch * sequence) / (data * fsdp * expert * (split.context ?? 1) * slices)
  // Weights are gathered forward and backward and gradients scattered; what is copied all-reduces its gradients.
  const gathered = (fsdp > 1 ? 3 * weights : 0) + (data > 1 ? (2 * weights) / fsdp : 0)
  // Every pair of products gathers and scatters the residual stream, forward and backward.
  const pairs = (attention ? 1 : 0) + (attention && mlp ? 1 : 0) || 1
  const exchanged = tensor > 1 ? (4 * size * tokens * D * L * pairs) / stages : 0
  const routed = expert > 1 ? (4 * size * tokens * copies * D) / 4 / stages : 0
  // Every group of layers hands on the residual stream, and back its gradient.
  const handed = stages > 1 ? (2 * size * tokens * D * virtual) / tensor : 0
  const long = topology.flatMap((side, axis) => (side > 1 ? [wrap[axis] ? 2 * link : link] : []))
  const total = long.reduce((sum, rate) => sum + rate, 0)
  // Tensor parallelism has one axis to itself, where there are several.
  const inner = tensor > 1 && long.length > 1 ? (long.at(-1) ?? link) : 0
  const outer = total - inner
  return ((gathered + routed + handed) / outer + exchanged / (inner === 0 ? total : inner)) * chip.jaxDevices
}

function dcnSeconds({ config, made, slices }: Step): number {
  const rate = made.chip.dcnBytesPerSecond
  if (slices === 1 || rate === null) return 0
  const gradients = 2 * parameterUse(config).total
  return (2 * gradients * (slices - 1)) / slices / (made.chips * rate)
}

/**
 * What no split and no overlap avoids: the model's FLOPs, and the optimizer's state read and written once. Of each rate the most
 * favourable of all sources is taken.
 */
function lowerBound(
  config: ModelConfig,
  made: Slice,
  flopsPerChip: number,
  dtype: PeakDType,
  slices: number,
): number {
  const { flopsPerSecond, hbmBytesPerSecond } = bestRates(made.chip, dtype)
  const compute = flopsPerChip / flopsPerSecond
  // 8-bit weights and moments, read and written, is the least that is common.
  const state = (6 * parameterUse(config).total) / (made.chips * slices) / hbmBytesPerSecond
  return Math.max(compute, state)
}

const largest = (terms: StepTerms): keyof StepTerms =>
  (['compute', 'hbm', 'ici', 'dcn', 'pcie'] as const).reduce((a, b) => (terms[b] > terms[a] ? b : a))

function assumptionsOf(basis: readonly string[], remat: Remat): string[] {
  return [
    'the lower bound counts half of the pairs of positions and nothing twice, and takes the best rate that any source gives',
    ...basis,
    'compute, HBM, links and host overlap in full: the estimate is the largest of them',
    'weights are gathered in bfloat16, forward and backward, and gradients scattered; tensor parallelism has one torus axis to itself',
    'Adam with float32 moments over bfloat16 weights: 22 bytes a parameter pass through HBM in the update',
    `the estimate counts no recomputation apart: the published runs recompute as their memory asks, and that is in the constants; the terms at peak rates count that of policy ${rematText(remat)}`,
  ]
}
