import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { slice as sliceOf } from '../hardware/index.js'
import { estimateMemory, type MemoryEstimate, type ModelConfig, parameterCount } from '../model/index.js'
import { type Alignment, checkMxuAlignment } from './checkMxuAlignment.js'
import { type Correction, corrections } from './corrections.js'
import { chinchillaTokens, estimateParams, rematNeeded } from './tshirt.js'

/** The dimensions of a model of Mamba blocks, its batch and its slice. */
export interface AuditOptions {
  readonly dModel: number
  readonly nLayers: number
  /** Default heads of 128 over the inner width. */
  readonly nHeads?: number
  /** Inner width over dModel, default 2. */
  readonly expand?: number
  /** State per channel, default 128 as in Mamba-2. */
  readonly dState?: number
  /** Default 50288, Mamba-2's. */
  readonly vocabulary?: number
  /** Sequences on all chips together; default one for each device. */
  readonly batch?: number
  /** Default 2048. */
  readonly sequence?: number
  /** Default v5p-8. */
  readonly slice?: string
  /** Default float32, as the toolkit keeps them. */
  readonly paramsDtype?: 'float32' | 'bfloat16'
  /** Default 'block'. */
  readonly remat?: 'everything' | 'dots' | 'block'
}

const names: OptionTable<AuditOptions> = {
  ...{ dModel: 'required', nLayers: 'required', nHeads: 'optional', expand: 'optional', dState: 'optional' },
  ...{ vocabulary: 'optional', batch: 'optional', sequence: 'optional', slice: 'optional' },
  ...{ paramsDtype: 'optional', remat: 'optional' },
}

/** What an audit found of one thing. */
export interface Finding {
  readonly about: string
  readonly verdict: 'ok' | 'warning' | 'error'
  readonly evidence: string
  /** Empty where all is well. */
  readonly remedy: string
}

/** An audit of a Mamba-like configuration: what the Python toolkit's report says, corrected. */
export interface Audit {
  readonly config: Required<AuditOptions>
  /** Exact, as Mamba-2. */
  readonly parameters: number
  /** By the toolkit's formula. */
  readonly estimatedParameters: number
  readonly chinchillaTokens: number
  readonly alignment: Alignment
  readonly memory: MemoryEstimate
  /** By the toolkit's rule, of one device's batch. */
  readonly rematNeeded: boolean
  readonly findings: readonly Finding[]
  readonly corrections: readonly Correction[]
}

/**
 * Audits a configuration for a slice: alignment, parameters, tokens, memory, recomputation. `auditText` writes it
 * out; as it is, it is JSON.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for sizes that are not integers, heads that do not divide, an unknown slice.
 * Source    Python toolkit, mxu_alignment; what its report has wrong is in `corrections`.
 *
 * @example auditConfig({ dModel: 1024, nLayers: 24 }).estimatedParameters // 164304896
 */
export function auditConfig(options: AuditOptions): Audit {
  const op = 'auditConfig'
  checkOptions(op, options, names)
  const { dModel, nLayers, expand = 2, dState = 128, vocabulary = 50288, sequence = 2048 } = options
  for (const [name, size] of Object.entries({ dModel, nLayers, expand, dState, vocabulary, sequence })) {
    checkInteger(op, name, size, 1)
  }
  const inner = dModel * expand
  const { nHeads = Math.max(1, Math.round(inner / 128)), slice = 'v5p-8' } = options
  const { paramsDtype = 'float32', remat = 'block' } = options
  checkInteger(op, 'nHeads', nHeads, 1)
  checkName(op, 'paramsDtype', paramsDtype, ['float32', 'bfloat16'])
  const made = sliceOf(slice)
  const chipName = made.chip.name
  const alignment = checkMxuAlignment({ dModel, nHeads, expand, vocabulary, chip: chipName })
  const model: ModelConfig = {
    family: 'mamba2',
    D: dModel,
    L: nLayers,
    I: inner,
    H: nHeads,
    S: dState,
    V: vocabulary,
  }
  const memoryOptions = { slice, sequence, paramsDtype, remat }
  const devices = made.jaxDevices
  const batch = options.batch ?? devices
  const memory = estimateMemory(model, { ...memoryOptions, batch })
  const parameters = parameterCount(model)
  const sequences = Math.max(1, Math.round(batch / devices))
  const needed = rematNeeded({ nLayers, batch: sequences, sequence, dModel, chip: chipName })
  return {
    config: {
      ...{ dModel, nLayers, nHeads, expand, dState, vocabulary, batch, sequence, slice, paramsDtype, remat },
    },
    ...{ parameters, estimatedParameters: estimateParams(dModel, nLayers) },
    ...{ chinchillaTokens: chinchillaTokens(parameters), alignment, memory, rematNeeded: needed },
    findings: [...alignmentFindings(alignment, chipName), memoryFinding(memory), rematFinding(needed, remat)],
    corrections,
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function alignmentFindings({ sizes, suggestions, side }: Alignment, name: string): Finding[] {
  return sizes.map(({ name: about, size, padded, waste, aligned }) => {
    const words = about === 'headDim' ? 'nHeads' : about
    const fitting = suggestions.filter(({ change }) => change.startsWith(words))
    return {
      about,
      verdict: aligned ? 'ok' : waste >= 0.25 ? 'error' : 'warning',
      evidence: `${size} of ${padded} on ${name}'s arrays of ${side}: ${percent(waste)} idle at most`,
      remedy: aligned
        ? ''
        : fitting.length === 0
          ? `a multiple of ${side}`
          : fitting
              .map(({ change, saves, of }) => `${change} (saves ${percent(saves)} of the ${of})`)
              .join(', or '),
    }
  })
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toPrecision(3)} GiB`

function memoryFinding({ perDevice, bytesPerDevice, usableBytesPerDevice, fits }: MemoryEstimate): Finding {
  const parts = Object.entries(perDevice)
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${name} ${gib(bytes)}`)
  return {
    about: 'memory',
    verdict: fits ? 'ok' : 'error',
    evidence: `${gib(bytesPerDevice)} of ${gib(usableBytesPerDevice)} on each device: ${parts.join(', ')}`,
    remedy: fits
      ? ''
      : 'a smaller batch, a stronger remat, or a larger slice: findOptimalBatchSize names one',
  }
}

function rematFinding(needed: boolean, remat: string): Finding {
  const kept = remat === 'everything'
  return {
    about: 'remat',
    verdict: needed && kept ? 'warning' : 'ok',
    evidence: `by the toolkit's rule ${needed ? '' : 'not '}needed; it is '${remat}'`,
    remedy: needed && kept ? "remat: 'block', for a third more FLOPs" : '',
  }
}
