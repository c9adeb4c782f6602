import { type PeakDType, peakOpsPerSecond } from '../hardware/index.js'
import { type ModelConfig, type OperationsOptions, operations } from '../model/index.js'
import { checkName, checkNumber } from '../options/index.js'
import { asChip, type ChipLike } from './critical.js'

/** How long an operation takes at least on one chip, and what bounds it. */
export interface OperationBound {
  readonly flops: number
  readonly bytes: number
  /** FLOPs per byte. */
  readonly intensity: number
  readonly computeSeconds: number
  readonly hbmSeconds: number
  /** The larger of the two: they overlap at best. */
  readonly seconds: number
  readonly boundBy: 'compute' | 'hbm'
}

/**
 * The roofline of one operation on one chip: the time of its FLOPs at the peak rate and of its bytes at the HBM's, which overlap
 * at best and follow each other at worst.
 *
 * Shape     none. Dtype of the arithmetic, default bfloat16. Rounding none.
 * Throws    RangeError for numbers below 0, an unknown chip, a dtype without a published rate.
 *
 * @example operationBound({ flops: 1e12, bytes: 1e9 }, 'v5e').boundBy // 'compute'
 */
export function operationBound(
  cost: { readonly flops: number; readonly bytes: number },
  chip: ChipLike,
  dtype: PeakDType = 'bfloat16',
): OperationBound {
  const { flops, bytes } = cost
  checkNumber('operationBound', 'flops', flops, 0)
  checkNumber('operationBound', 'bytes', bytes, 0)
  const made = asChip(chip)
  const computeSeconds = flops / peakOpsPerSecond(made, dtype)
  const hbmSeconds = bytes / made.hbmBytesPerSecond
  return {
    ...{
      flops,
      bytes,
      intensity: bytes === 0 ? Number.POSITIVE_INFINITY : flops / bytes,
      computeSeconds,
      hbmSeconds,
    },
    seconds: Math.max(computeSeconds, hbmSeconds),
    boundBy: computeSeconds >= hbmSeconds ? 'compute' : 'hbm',
  }
}

/** One line of the table: an operation of a model, all its copies together. */
export interface OperationRow extends OperationBound {
  readonly name: string
  readonly copies: number
  readonly pass: 'forward' | 'backward'
}

/** What the table is of: a batch through a model, on one chip. */
export interface OperationBoundsOptions extends OperationsOptions {
  readonly chip: ChipLike
  /** Default both: a training step. */
  readonly pass?: 'forward' | 'both'
  /** Of the arithmetic of products with weights, default bfloat16; attention is in bfloat16. */
  readonly arithmetic?: PeakDType
}

/**
 * What bounds each operation of a model on one chip.
 *
 * Shape     none. Dtypes by option. Rounding none.
 * Throws    as `operations` and `operationBound`.
 *
 * @example operationBounds({ family: 'mlp', widths: [4096, 4096] }, { chip: 'v5e', batch: 8 })[0].boundBy // 'hbm'
 */
export function operationBounds(
  config: ModelConfig,
  options: OperationBoundsOptions,
): readonly OperationRow[] {
  const { chip, pass = 'both', arithmetic = 'bfloat16', ...asked } = options
  checkName('operationBounds', 'pass', pass, ['forward', 'both'])
  const passes = pass === 'both' ? (['forward', 'backward'] as const) : (['forward'] as const)
  return operations(config, asked).flatMap(({ name, kind, copies, ...costs }) =>
    passes.map((which) => {
      const { flops, bytes } = costs[which]
      const bound = operationBound(
        { flops: flops * copies, bytes: bytes * copies },
        chip,
        kind === 'matmul' ? arithmetic : 'bfloat16',
      )
      return { name, copies, pass: which, ...bound }
    }),
  )
}
