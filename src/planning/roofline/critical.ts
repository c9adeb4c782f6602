import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  bitsOf,
  type ChipLike,
  chipOf,
  type PeakDType,
  peakOpsPerSecond,
  type StoredDType,
} from '../hardware/index.js'

/** The peak and the memory to compare. */
export interface IntensityOptions {
  /** Of the arithmetic, default bfloat16. */
  readonly dtype?: PeakDType
  /** Where the operands come from, default 'hbm'. */
  readonly memory?: 'hbm' | 'vmem'
}

const intensityNames: OptionTable<IntensityOptions> = { dtype: 'optional', memory: 'optional' }

/**
 * FLOPs per byte from which an operation is bound by compute: peak rate over bandwidth.
 *
 * Shape     none. Dtype of the arithmetic by option. Rounding none.
 * Throws    RangeError for an unknown chip, a dtype without a published rate.
 *
 * @example Math.round(criticalIntensity('v5e')) // 241
 * @example Math.round(criticalIntensity('v5e', { memory: 'vmem' })) // 11
 */
export function criticalIntensity(chip: ChipLike, options: IntensityOptions = {}): number {
  checkOptions('criticalIntensity', options, intensityNames)
  const { dtype = 'bfloat16', memory = 'hbm' } = options
  checkName('criticalIntensity', 'memory', memory, ['hbm', 'vmem'])
  const made = chipOf('criticalIntensity', chip)
  const bandwidth = memory === 'hbm' ? made.hbmBytesPerSecond : made.vmemBytesPerSecond
  return peakOpsPerSecond(made, dtype) / bandwidth
}

/** The dtypes of a product with weights. */
export interface BatchOptions {
  /** Of the arithmetic, default bfloat16. */
  readonly dtype?: PeakDType
  /** Of the weights as they are stored, default as the arithmetic. */
  readonly weightsDtype?: StoredDType
}

const batchNames: OptionTable<BatchOptions> = { dtype: 'optional', weightsDtype: 'optional' }

/**
 * Tokens on a chip from which a product with weights is bound by compute instead of by reading the weights: C bytes / (2 HBM),
 * where the batch is far below the widths.
 *
 * Shape     none. Dtypes by option. Rounding none.
 * Source    the scaling book, part 1.
 *
 * @example Math.round(criticalBatch('v5e')) // 241
 * @example Math.round(criticalBatch('v5e', { weightsDtype: 'int8' })) // 120
 * @example Math.round(criticalBatch('v6e')) // 560
 */
export function criticalBatch(chip: ChipLike, options: BatchOptions = {}): number {
  checkOptions('criticalBatch', options, batchNames)
  const { dtype = 'bfloat16', weightsDtype = dtype } = options
  const bytes = bitsOf(weightsDtype) / 8
  const made = chipOf('criticalBatch', chip)
  return (peakOpsPerSecond(made, dtype) * bytes) / (2 * made.hbmBytesPerSecond)
}

/** The chip, its traffic and the step whose limits to compute. */
export interface ParallelOptions {
  readonly chip: ChipLike
  /** Of the arithmetic, default bfloat16. */
  readonly dtype?: PeakDType
  /** Torus axes that carry the traffic, default 1. */
  readonly axes?: number
  /** Width inside the MLP, for tensor parallelism. */
  readonly F?: number
  /** Tokens of the whole step and chips, for the best split. */
  readonly tokens?: number
  readonly chips?: number
}

const parallelNames: OptionTable<ParallelOptions> = {
  ...{
    chip: 'required',
    dtype: 'optional',
    axes: 'optional',
    F: 'optional',
    tokens: 'optional',
    chips: 'optional',
  },
}

/** From where on each kind of parallelism is bound by compute, for layers of a [D, F] and an [F, D] matrix in bfloat16. */
export interface ParallelLimits {
  /** C over both directions of a link: 2550 on v5p. */
  readonly ratio: number
  /** Tokens per chip that data parallelism and FSDP need. */
  readonly fsdpTokensPerChip: number
  /** Most ways of tensor parallelism; null where F is not given. */
  readonly tensorWays: number | null
  /** Tokens per chip that FSDP and tensor parallelism together need; null where F is not given. */
  readonly mixedTokensPerChip: number | null
  /** Ways of FSDP that move the fewest bytes beside tensor parallelism; null where tokens and chips are not given. */
  readonly fsdpWays: number | null
  /** Tokens per chip that data parallelism over the data-centre network needs; null where its rate is not known. */
  readonly dcnTokensPerChip: number | null
}

/**
 * Limits of parallelism over the links between chips.
 *
 * Shape     none. Dtype of the arithmetic by option. Rounding none.
 * Throws    RangeError for an unknown chip, one without a known link rate, sizes that are not numbers.
 * Source    the scaling book, part 5.
 *
 * @example parallelLimits({ chip: 'v5p' }).fsdpTokensPerChip // 2550
 * @example parallelLimits({ chip: 'v5p', axes: 3 }).fsdpTokensPerChip // 850
 */
export function parallelLimits(options: ParallelOptions): ParallelLimits {
  const op = 'parallelLimits'
  checkOptions(op, options, parallelNames)
  const { chip, dtype = 'bfloat16', axes = 1, F, tokens, chips } = options
  checkInteger(op, 'axes', axes, 1, 3)
  for (const [name, value] of Object.entries({ F, tokens, chips })) {
    if (value !== undefined) checkNumber(op, name, value, 1)
  }
  const made = chipOf(op, chip)
  const link = made.iciBytesPerSecondPerLink
  if (link === null) {
    throw new RangeError(`${op}: the rate of a link of ${made.name} is not known [${made.name}]`)
  }
  const ratio = peakOpsPerSecond(made, dtype) / (2 * link)
  return {
    ratio,
    fsdpTokensPerChip: ratio / axes,
    tensorWays: F === undefined ? null : (axes * F) / ratio,
    mixedTokensPerChip: F === undefined ? null : (ratio ** 2 * 2) / F,
    fsdpWays:
      F === undefined || tokens === undefined || chips === undefined
        ? null
        : Math.sqrt((2 * tokens * chips) / F),
    dcnTokensPerChip:
      made.dcnBytesPerSecond === null ? null : peakOpsPerSecond(made, dtype) / made.dcnBytesPerSecond,
  }
}
