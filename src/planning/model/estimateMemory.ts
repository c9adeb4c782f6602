import {
  checkArray,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { bitsOf, type Slice, type StoredDType, sliceOf } from '../hardware/index.js'
import { keptWidth, layerArrays, type SavedArray, savedArrays } from './activations.js'
import type { Architecture } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import { cacheBytes } from './cacheBytes.js'
import type { ModelConfig } from './config.js'
import { type PipelineOptions, type PipelineSchedule, scheduleOf } from './pipelineSchedule.js'
import { stageArchitectures } from './pipelineStages.js'
import { checkRemat, keptBy, type Remat } from './remat.js'
import { checkSizes, isOn, nearestDivisor } from './sizes.js'
import { checkSplit, readSplit, type Split, type Ways } from './split.js'

/** The step, and its sharding over the slice. */
export interface MemoryOptions {
  /** `v5p-128`, or a slice. */
  readonly slice: string | Slice
  /** Sequences of a step, on all devices together. */
  readonly batch: number
  readonly sequence: number
  /** 'train' (the default), or 'serve': no gradients and moments, a cache instead. */
  readonly mode?: 'train' | 'serve'
  /**
   * Default ways: fsdp takes the remaining devices; with 'serve' tensor, as far as it divides the heads, and
   * data the rest.
   */
  readonly split?: Split
  /** Default bfloat16. */
  readonly paramsDtype?: StoredDType
  /** A copy of the parameters beside them, for the update; default none. */
  readonly masterDtype?: StoredDType
  /** Default as the parameters. */
  readonly gradientsDtype?: StoredDType
  /** Moments that the optimizer keeps: 2 as Adam (the default), 1 as momentum or Lion, 0 as SGD. */
  readonly moments?: 0 | 1 | 2
  /** Of every moment, or of the first and the second; default float32. */
  readonly momentsDtype?: StoredDType | readonly [StoredDType, StoredDType]
  /** Default bfloat16. */
  readonly activationsDtype?: StoredDType
  /** Default 'block'. */
  readonly remat?: Remat
  readonly flash?: boolean
  /** Of keys and values, default bfloat16. */
  readonly cacheDtype?: StoredDType
  /** Of the logits and of their gradient, both of which are there at once; default bfloat16, as MaxText's. */
  readonly logitsDtype?: StoredDType
  /** Parts in which the loss takes the tokens one after the other (MaxText's num_vocab_tiling), default 1. */
  readonly logitsChunks?: number
  /** Whether the residual stream is split over tensor too, between the products (Megatron's sequence parallelism). */
  readonly sequenceParallel?: boolean
  /** Slices that share the batch, and with `sharedParameters` the parameters; default 1. */
  readonly slices?: number
  /** Whether fsdp reaches over the slices (dcn_fsdp_parallelism), default false: each slice holds all parameters. */
  readonly sharedParameters?: boolean
  /** Share of the usable memory that is left free for fragmentation and what the compiler reserves, default 0. */
  readonly reserve?: number
  /** Stages that share the layers: the ways of `split` are then those of each stage. Default none. */
  readonly pipeline?: PipelineOptions
}

/** The names of `MemoryOptions`. */
export const memoryNames: OptionTable<MemoryOptions> = {
  ...{ slice: 'required', batch: 'required', sequence: 'required', mode: 'optional', split: 'optional' },
  ...{ paramsDtype: 'optional', masterDtype: 'optional', gradientsDtype: 'optional', moments: 'optional' },
  ...{ momentsDtype: 'optional', activationsDtype: 'optional', remat: 'optional', flash: 'optional' },
  ...{ cacheDtype: 'optional', logitsDtype: 'optional', logitsChunks: 'optional', slices: 'optional' },
  ...{ sequenceParallel: 'optional', sharedParameters: 'optional', reserve: 'optional' },
  pipeline: 'optional',
}

/** Bytes on each device, by what they are. */
export interface MemoryParts {
  readonly weights: number
  readonly master: number
  readonly gradients: number
  readonly moments: number
  /** Kept by the layers for the backward pass. */
  readonly activations: number
  /** What is there for a moment: logits and their gradient, or one layer computed again; the larger. */
  readonly working: number
  readonly cache: number
}

/** The parts that each device may leave in the memory of its host. */
export interface HostParts {
  /** What the layers keep there for the backward pass. */
  readonly activations: number
}

/** The memory of a device of one stage of a pipeline. */
export interface StageMemory {
  readonly stage: number
  readonly layers: number
  /** Microbatches whose activations it holds at once, at most. */
  readonly inFlight: number
  readonly perDevice: MemoryParts
  readonly bytesPerDevice: number
  readonly host: HostParts
}

/** The memory that a step takes on each device of a slice; with a pipeline on a device of its fullest stage. */
export interface MemoryEstimate {
  readonly slice: Slice
  readonly devices: number
  readonly split: Ways
  readonly perDevice: MemoryParts
  readonly bytesPerDevice: number
  /** Bytes in the memory of the host, for each device. */
  readonly host: HostParts
  /** What a program may use of a device's HBM. */
  readonly usableBytesPerDevice: number
  readonly fits: boolean
  /** With a pipeline those of one microbatch. */
  readonly tokensPerDevice: number
  /** Each stage of a pipeline, where there is one. */
  readonly stages?: readonly StageMemory[]
  readonly assumptions: readonly string[]
}

/**
 * HBM that a model takes on each device of a slice, and whether it fits in what programs may use.
 *
 * Shape     none. Dtype of each part by option. Rounding up to whole bytes.
 * Throws    RangeError for an invalid model, slice or size, and where the split does not multiply to the devices, a batch or
 *           heads do not divide.
 * Error     an estimate: buffers that the compiler adds, fragmentation and padding are not in it; see `assumptions`.
 * Source    the scaling book, part 4 and 5.
 *
 * @example estimateMemory({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-8', batch: 64, sequence: 1024 }).fits // true
 */
export function estimateMemory(config: ModelConfig, options: MemoryOptions): MemoryEstimate {
  const model = checkedArchitecture('estimateMemory', config)
  checkOptions('estimateMemory', options, memoryNames)
  return memoryOf('estimateMemory', config, model, options)
}

/** `estimateMemory` in another function's name. */
export function memoryOf(
  op: string,
  config: ModelConfig,
  model: Architecture,
  options: MemoryOptions,
): MemoryEstimate {
  const { batch, sequence, mode = 'train', remat = 'block' } = options
  checkSizes(op, { batch, sequence })
  checkName(op, 'mode', mode, ['train', 'serve'])
  checkRemat(op, remat)
  checkInteger(op, 'moments', options.moments ?? 2, 0, 2)
  isOn(op, 'flash', options.flash)
  const made = sliceOf(op, options.slice)
  const pipeline = options.pipeline === undefined ? undefined : scheduleOf(op, options.pipeline)
  if (pipeline !== undefined && mode === 'serve') {
    throw new RangeError(`${op}: a pipeline is planned for training alone, mode 'train' [mode 'serve']`)
  }
  const split = readSplit(op, model, made, options.split, mode, pipeline?.stages)
  const { slices = 1, reserve = 0, logitsChunks = 1 } = options
  checkSizes(op, { slices, logitsChunks })
  checkNumber(op, 'reserve', reserve, 0, 1)
  isOn(op, 'sequenceParallel', options.sequenceParallel)
  const shared = isOn(op, 'sharedParameters', options.sharedParameters)
  const ways = split.data * split.fsdp * split.expert * slices * (pipeline?.microbatches ?? 1)
  if (batch % ways !== 0) {
    throw new RangeError(
      `${op}: ${pipeline === undefined ? `${ways} devices` : `${pipeline.microbatches} microbatches, each on ${ways / pipeline.microbatches} devices,`} share the batch and do not divide it, nearest ${Math.max(ways, ways * Math.round(batch / ways))} [${batch}]`,
    )
  }
  checkSplit(op, model, split)
  const context = split.context ?? 1
  if (sequence % context !== 0) {
    throw new RangeError(
      `${op}: context ways do not divide the sequence, nearest ${nearestDivisor(sequence, context)} [${context} of ${sequence}]`,
    )
  }
  const tokens = ((batch / ways) * sequence) / context
  const holding = { ...split, fsdp: split.fsdp * context * (shared ? slices : 1) }
  const stages =
    pipeline === undefined ? undefined : stagesOf(op, model, options, { holding, split, tokens, pipeline })
  const fullest = stages?.reduce((a, b) => (b.bytesPerDevice > a.bytesPerDevice ? b : a))
  const parts =
    fullest?.perDevice ??
    (mode === 'train'
      ? trained(model, options, holding, tokens)
      : served(config, model, options, split, batch / ways))
  const bytesPerDevice = sumOf(parts)
  const usable = made.chip.programHbmBytes / made.chip.jaxDevices
  return {
    ...{ slice: made, devices: made.jaxDevices, split, perDevice: parts, bytesPerDevice },
    ...{ usableBytesPerDevice: usable, fits: bytesPerDevice <= usable * (1 - reserve) },
    ...{
      tokensPerDevice: tokens,
      host: fullest?.host ?? { activations: mode === 'train' ? onHost(model, options, split, tokens) : 0 },
    },
    ...(stages === undefined ? {} : { stages }),
    assumptions: [...(pipeline === undefined ? [] : pipelineLines), ...assumptionsOf(mode, made, options)],
  }
}

const sumOf = (parts: MemoryParts): number => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)

const pipelineLines: readonly string[] = [
  'of a pipeline the fullest stage is printed; the embedding is on the first stage, the output projection on the last, a tied one on both',
  'each stage holds what its layers keep of every microbatch in flight, and computes one again at a time',
]

interface Pipelined {
  readonly holding: Ways
  readonly split: Ways
  /** Of one microbatch on each device. */
  readonly tokens: number
  readonly pipeline: PipelineSchedule
}

/** The memory of each stage: that of its layers with one microbatch, and the activations of those in flight. */
function stagesOf(
  op: string,
  model: Architecture,
  options: MemoryOptions,
  { holding, split, tokens, pipeline }: Pipelined,
): readonly StageMemory[] {
  return stageArchitectures(op, model, pipeline).map((stageModel, stage) => {
    const inFlight = pipeline.inFlight[stage] ?? 0
    const one = trained(stageModel, options, holding, tokens)
    const perDevice = { ...one, activations: Math.ceil(inFlight * one.activations) }
    return {
      ...{ stage, layers: stageModel.L, inFlight, perDevice, bytesPerDevice: sumOf(perDevice) },
      host: { activations: Math.ceil(inFlight * onHost(stageModel, options, split, tokens)) },
    }
  })
}

/** Elements of the parameters that one device holds: matrices split, norms and biases whole. */
function elementsPerDevice({ tensors, attention }: Architecture, { fsdp, tensor, expert }: Ways): number {
  return tensors.reduce((sum, { role, elements, axes }) => {
    if (role === 'norm' || role === 'bias' || role === 'scan' || role === 'convolution') return sum + elements
    // Fewer key heads than tensor ways: each way holds copies.
    const ways = axes.includes('K') ? Math.min(tensor, attention?.K ?? tensor) : tensor
    return sum + Math.ceil(elements / (fsdp * ways * (role === 'expert' ? expert : 1)))
  }, 0)
}

const bytes = (elements: number, dtype: StoredDType | undefined): number =>
  dtype === undefined ? 0 : Math.ceil((elements * bitsOf(dtype)) / 8)

function trained(model: Architecture, options: MemoryOptions, split: Ways, tokens: number): MemoryParts {
  const { paramsDtype = 'bfloat16', gradientsDtype = paramsDtype, momentsDtype = 'float32' } = options
  const { moments = 2, activationsDtype = 'bfloat16', remat = 'block', flash = true, sequence } = options
  const { logitsDtype = 'bfloat16', logitsChunks = 1 } = options
  const elements = elementsPerDevice(model, split)
  const layers = model.family === 'mlp' ? 1 : model.L
  const onDevice = ({ offloaded }: SavedArray): boolean => offloaded !== true
  const kept = keptBy(remat)
  const scores = flash ? 0 : (2 * (model.attention?.N ?? 0) * sequence * tokens) / split.tensor
  const arrays = spread(savedArrays(model, remat), options)
  const width = keptWidth(arrays, layers, onDevice, split.tensor) + (kept.scores ? layers * scores : 0)
  const again = kept.all ? 0 : tokens * kept.every * (widestLayer(model, split.tensor, options) + scores)
  const logits = (2 * tokens * model.V) / split.tensor / logitsChunks
  if (typeof momentsDtype !== 'string') checkArray('estimateMemory', 'momentsDtype', momentsDtype)
  const both: readonly StoredDType[] =
    typeof momentsDtype === 'string' ? [momentsDtype, momentsDtype] : momentsDtype
  return {
    weights: bytes(elements, paramsDtype),
    master: bytes(elements, options.masterDtype),
    gradients: bytes(elements, gradientsDtype),
    moments: both.slice(0, moments).reduce((sum, dtype) => sum + bytes(elements, dtype), 0),
    activations: bytes(tokens * width, activationsDtype),
    working: Math.max(bytes(again, activationsDtype), bytes(logits, logitsDtype)),
    cache: 0,
  }
}

/** Arrays as they are split: with sequence parallelism the residual stream too. */
function spread(
  arrays: readonly SavedArray[],
  { sequenceParallel }: Pick<MemoryOptions, 'sequenceParallel'>,
): readonly SavedArray[] {
  return sequenceParallel ? arrays.map((array) => ({ ...array, split: true })) : arrays
}

/** Bytes that the layers of one device leave in the memory of its host. */
function onHost(model: Architecture, options: MemoryOptions, { tensor }: Ways, tokens: number): number {
  const arrays = spread(savedArrays(model, options.remat ?? 'block'), options)
  const width = keptWidth(arrays, model.L, ({ offloaded }) => offloaded === true, tensor)
  return bytes(tokens * width, options.activationsDtype ?? 'bfloat16')
}

/** Everything that the backward pass of the widest layer reads, per token. */
function widestLayer(
  model: Architecture,
  tensor: number,
  options: Pick<MemoryOptions, 'sequenceParallel'> = {},
): number {
  if (model.family === 'mlp') return keptWidth(savedArrays(model, 'everything'), 1, () => true, tensor)
  return Math.max(
    ...model.groups.map((_, i) => keptWidth(spread(layerArrays(model, i), options), 1, () => true, tensor)),
  )
}

function served(
  config: ModelConfig,
  model: Architecture,
  options: MemoryOptions,
  split: Ways,
  batch: number,
): MemoryParts {
  const {
    paramsDtype = 'bfloat16',
    cacheDtype = 'bfloat16',
    activationsDtype = 'bfloat16',
    sequence,
  } = options
  const ways = Math.min(split.tensor, model.attention?.K ?? split.tensor)
  const wide = widestLayer(model, 1)
  return {
    ...{ master: 0, gradients: 0, moments: 0, activations: 0 },
    weights: bytes(elementsPerDevice(model, split), paramsDtype),
    working: bytes(batch * wide, activationsDtype) + bytes((batch * model.V) / split.tensor, 'float32'),
    cache: Math.ceil(cacheBytes(config, { batch, sequence, dtype: cacheDtype }) / ways),
  }
}

function assumptionsOf(mode: string, { chip }: Slice, options: MemoryOptions): string[] {
  const { logitsDtype = 'bfloat16', logitsChunks = 1, reserve = 0 } = options
  const usable = `usable HBM is what libtpu's compiler lets a program have on a ${chip.name} device (${chip.programHbmGibPerDevice} GiB)`
  const split =
    'matrices and embeddings split over fsdp and tensor (experts over expert too), all else is whole'
  return mode === 'train'
    ? [
        usable,
        `${split}; gradients and optimizer state as their parameters`,
        'the batch is split over data, fsdp and expert',
        `logits and their gradient are ${logitsDtype}, split over tensor${logitsChunks > 1 ? `, in ${logitsChunks} parts` : ''}; they and the recomputed layer are not in memory at the same time`,
        `buffers of collectives, fragmentation and the padding of tiles are not counted; ${reserve === 0 ? 'nothing is left free for them (reserve)' : `${(100 * reserve).toFixed(0)} % is left free for them`}; what XLA reserves is not among the usable bytes`,
      ]
    : [
        usable,
        split,
        'keys and values are split over tensor up to the number of their heads',
        'one token of each sequence is in flight',
      ]
}
