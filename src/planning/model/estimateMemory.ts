import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type Slice, type StoredDType, sliceOf } from '../hardware/index.js'
import { savedArrays } from './activations.js'
import type { Architecture } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import { cacheBytes } from './cacheBytes.js'
import type { ModelConfig } from './config.js'
import { checkRemat, type Remat } from './remat.js'
import { checkSizes, isOn } from './sizes.js'
import { checkSplit, readSplit, type Split } from './split.js'

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
  /** Default float32. */
  readonly momentsDtype?: StoredDType
  /** Default bfloat16. */
  readonly activationsDtype?: StoredDType
  /** Default 'block'. */
  readonly remat?: Remat
  readonly flash?: boolean
  /** Of keys and values, default bfloat16. */
  readonly cacheDtype?: StoredDType
}

/** The names of `MemoryOptions`. */
export const memoryNames: OptionTable<MemoryOptions> = {
  ...{ slice: 'required', batch: 'required', sequence: 'required', mode: 'optional', split: 'optional' },
  ...{ paramsDtype: 'optional', masterDtype: 'optional', gradientsDtype: 'optional', moments: 'optional' },
  ...{ momentsDtype: 'optional', activationsDtype: 'optional', remat: 'optional', flash: 'optional' },
  ...{ cacheDtype: 'optional' },
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

/** The memory that a step takes on each device of a slice. */
export interface MemoryEstimate {
  readonly slice: Slice
  readonly devices: number
  readonly split: Required<Split>
  readonly perDevice: MemoryParts
  readonly bytesPerDevice: number
  /** What a program may use of a device's HBM. */
  readonly usableBytesPerDevice: number
  readonly fits: boolean
  readonly tokensPerDevice: number
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
  const split = readSplit(op, model, made, options.split, mode)
  const ways = split.data * split.fsdp * split.expert
  if (batch % ways !== 0) {
    throw new RangeError(
      `${op}: ${ways} devices share the batch and do not divide it, nearest ${Math.max(ways, ways * Math.round(batch / ways))} [${batch}]`,
    )
  }
  checkSplit(op, model, split)
  const tokens = (batch / ways) * sequence
  const parts =
    mode === 'train'
      ? trained(model, options, split, tokens)
      : served(config, model, options, split, batch / ways)
  const bytesPerDevice = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)
  const usable = made.chip.programHbmBytes / made.chip.jaxDevices
  return {
    ...{ slice: made, devices: made.jaxDevices, split, perDevice: parts, bytesPerDevice },
    ...{ usableBytesPerDevice: usable, fits: bytesPerDevice <= usable, tokensPerDevice: tokens },
    assumptions: assumptionsOf(mode, made),
  }
}

/** Elements of the parameters that one device holds: matrices split, norms and biases whole. */
function elementsPerDevice(
  { tensors, attention }: Architecture,
  { fsdp, tensor, expert }: Required<Split>,
): number {
  return tensors.reduce((sum, { role, elements, axes }) => {
    if (role === 'norm' || role === 'bias' || role === 'scan' || role === 'convolution') return sum + elements
    // Fewer key heads than tensor ways: each way holds copies.
    const ways = axes.includes('K') ? Math.min(tensor, attention?.K ?? tensor) : tensor
    return sum + Math.ceil(elements / (fsdp * ways * (role === 'expert' ? expert : 1)))
  }, 0)
}

const bytes = (elements: number, dtype: StoredDType | undefined): number =>
  dtype === undefined ? 0 : Math.ceil((elements * bitsOf(dtype)) / 8)

function trained(
  model: Architecture,
  options: MemoryOptions,
  split: Required<Split>,
  tokens: number,
): MemoryParts {
  const { paramsDtype = 'bfloat16', gradientsDtype = paramsDtype, momentsDtype = 'float32' } = options
  const { moments = 2, activationsDtype = 'bfloat16', remat = 'block', flash = true, sequence } = options
  const elements = elementsPerDevice(model, split)
  const width = (kept: Remat): number =>
    savedArrays(model, kept).reduce((sum, array) => sum + array.width / (array.split ? split.tensor : 1), 0)
  const layers = model.family === 'mlp' ? 1 : model.L
  const scores = flash ? 0 : (2 * (model.attention?.N ?? 0) * sequence * tokens) / split.tensor
  const saved = tokens * layers * (width(remat) + (remat === 'everything' ? scores : 0))
  const again = remat === 'everything' ? 0 : tokens * (width('everything') + scores)
  const logits = (2 * tokens * model.V) / split.tensor
  return {
    weights: bytes(elements, paramsDtype),
    master: bytes(elements, options.masterDtype),
    gradients: bytes(elements, gradientsDtype),
    moments: moments * bytes(elements, momentsDtype),
    activations: bytes(saved, activationsDtype),
    working: Math.max(bytes(again, activationsDtype), bytes(logits, 'float32')),
    cache: 0,
  }
}

function served(
  config: ModelConfig,
  model: Architecture,
  options: MemoryOptions,
  split: Required<Split>,
  batch: number,
): MemoryParts {
  const {
    paramsDtype = 'bfloat16',
    cacheDtype = 'bfloat16',
    activationsDtype = 'bfloat16',
    sequence,
  } = options
  const ways = Math.min(split.tensor, model.attention?.K ?? split.tensor)
  const wide = savedArrays(model, 'everything').reduce((sum, { width }) => sum + width, 0)
  return {
    ...{ master: 0, gradients: 0, moments: 0, activations: 0 },
    weights: bytes(elementsPerDevice(model, split), paramsDtype),
    working: bytes(batch * wide, activationsDtype) + bytes((batch * model.V) / split.tensor, 'float32'),
    cache: Math.ceil(cacheBytes(config, { batch, sequence, dtype: cacheDtype }) / ways),
  }
}

function assumptionsOf(mode: string, { chip }: Slice): string[] {
  const usable = `usable HBM is what libtpu's compiler lets a program have on a ${chip.name} device (${chip.programHbmGibPerDevice} GiB)`
  const split =
    'matrices and embeddings split over fsdp and tensor (experts over expert too), all else is whole'
  return mode === 'train'
    ? [
        usable,
        `${split}; gradients and optimizer state as their parameters`,
        'the batch is split over data, fsdp and expert',
        'logits and their gradient are float32, split over tensor; they and the recomputed layer are not in memory at the same time',
        'buffers of collectives, fragmentation and the padding of tiles are not counted',
      ]
    : [
        usable,
        split,
        'keys and values are split over tensor up to the number of their heads',
        'one token of each sequence is in flight',
      ]
}
