import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type ChipLike, chipOf, type PeakDType, peakOpsPerSecond } from '../hardware/index.js'
import { type ModelConfig, type OperationsOptions, operations } from '../model/index.js'

/** What may bound an operation: the matrix units, either memory, the links between chips, the network, the host. */
export type BoundBy = 'compute' | 'hbm' | 'vmem' | 'ici' | 'dcn' | 'pcie'

/** What an operation computes and moves on one chip; bytes that are not named are none. */
export interface OperationCost {
  readonly flops: number
  /** Through HBM. */
  readonly bytes: number
  /** Between the matrix units and their fast memory. */
  readonly vmemBytes?: number
  /** Over the links to other chips. */
  readonly iciBytes?: number
  /** Over the data-centre network. */
  readonly dcnBytes?: number
  /** To or from the host. */
  readonly pcieBytes?: number
}

const costNames: OptionTable<OperationCost> = {
  ...{ flops: 'required', bytes: 'required', vmemBytes: 'optional', iciBytes: 'optional' },
  ...{ dcnBytes: 'optional', pcieBytes: 'optional' },
}

/** The dtype and the links that an operation's bounds are for. */
export interface OperationBoundOptions {
  /** Of the arithmetic, default bfloat16. */
  readonly dtype?: PeakDType
  /** Links, one direction of each, that carry the bytes to other chips; default 2: a ring around one axis, both ways. */
  readonly links?: number
}

const boundNames: OptionTable<OperationBoundOptions> = { dtype: 'optional', links: 'optional' }

/** How long an operation takes at least on one chip, and what bounds it. */
export interface OperationBound {
  readonly flops: number
  readonly bytes: number
  /** FLOPs per byte of HBM. */
  readonly intensity: number
  /** Of each alone. */
  readonly terms: Readonly<Record<BoundBy, number>>
  /** The largest term: they overlap at best. */
  readonly seconds: number
  /** The sum of the terms: they follow each other at worst. */
  readonly serialSeconds: number
  readonly boundBy: BoundBy
}

/**
 * The roofline of one operation on one chip: the time of its FLOPs at the peak rate and of its bytes at each rate. All of them
 * overlap at best, and follow each other at worst: the time is between the largest and their sum.
 *
 * Shape     none. Dtype of the arithmetic by option. Rounding none.
 * Throws    RangeError for numbers below 0, an unknown chip, a rate that is not published.
 *
 * @example operationBound({ flops: 1e12, bytes: 1e9 }, 'v5e').boundBy // 'compute'
 * @example operationBound({ flops: 1e12, bytes: 1e9, iciBytes: 1e9 }, 'v5e').boundBy // 'ici'
 */
export function operationBound(
  cost: OperationCost,
  chip: ChipLike,
  options: OperationBoundOptions = {},
): OperationBound {
  const op = 'operationBound'
  checkOptions(op, cost, costNames)
  checkOptions(op, options, boundNames, { positional: 'dtype' })
  const { flops, bytes, vmemBytes = 0, iciBytes = 0, dcnBytes = 0, pcieBytes = 0 } = cost
  for (const [name, value] of Object.entries({ flops, bytes, vmemBytes, iciBytes, dcnBytes, pcieBytes })) {
    checkNumber(op, name, value, 0)
  }
  const { dtype = 'bfloat16', links = 2 } = options
  checkInteger(op, 'links', links, 1, 6)
  const made = chipOf(op, chip)
  const over = (moved: number, rate: number | null, what: string): number => {
    if (moved === 0) return 0
    if (rate === null) {
      throw new RangeError(`${op}: the rate of ${what} of ${made.name} is not known [${made.name}]`)
    }
    return moved / rate
  }
  const link = made.iciBytesPerSecondPerLink
  const terms: Record<BoundBy, number> = {
    compute: flops / peakOpsPerSecond(made, dtype),
    hbm: bytes / made.hbmBytesPerSecond,
    vmem: vmemBytes / made.vmemBytesPerSecond,
    ici: over(iciBytes, link === null ? null : link * links, 'a link'),
    dcn: over(dcnBytes, made.dcnBytesPerSecond, 'the network'),
    pcie: over(pcieBytes, made.pcieBytesPerSecond, 'the way to the host'),
  }
  const boundBy = boundNamesInOrder.reduce((a, b) => (terms[b] > terms[a] ? b : a))
  return {
    ...{ flops, bytes, intensity: bytes === 0 ? Number.POSITIVE_INFINITY : flops / bytes, terms },
    ...{
      seconds: terms[boundBy],
      serialSeconds: Object.values(terms).reduce((sum, term) => sum + term, 0),
      boundBy,
    },
  }
}

const boundNamesInOrder: readonly BoundBy[] = ['compute', 'hbm', 'vmem', 'ici', 'dcn', 'pcie']

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

const boundsNames: OptionTable<OperationBoundsOptions> = {
  ...{ batch: 'required', sequence: 'optional', context: 'optional', dtype: 'optional' },
  ...{ weightsDtype: 'optional', cacheDtype: 'optional', attention: 'optional', flash: 'optional' },
  ...{ chip: 'required', pass: 'optional', arithmetic: 'optional' },
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
  checkOptions('operationBounds', options, boundsNames)
  const { chip, pass = 'both', arithmetic = 'bfloat16', ...asked } = options
  checkName('operationBounds', 'pass', pass, ['forward', 'both'])
  const passes = pass === 'both' ? (['forward', 'backward'] as const) : (['forward'] as const)
  return operations(config, asked).flatMap(({ name, kind, copies, ...costs }) =>
    passes.map((which) => {
      const { flops, bytes } = costs[which]
      const bound = operationBound({ flops: flops * copies, bytes: bytes * copies }, chip, {
        dtype: kind === 'matmul' ? arithmetic : 'bfloat16',
      })
      return { name, copies, pass: which, ...bound }
    }),
  )
}
