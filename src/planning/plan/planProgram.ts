import { checkInteger, checkNumber, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type Chip, type ChipLike, chipOf, type PeakDType, peakOpsPerSecond } from '../hardware/index.js'
import { matmulPadding } from '../mxu/index.js'
import type { ProductSplit, ProgramOperation, ProgramProduct } from './programOperation.js'

/** The chip that a program is to run on, and what it is given. */
export interface PlanProgramOptions {
  readonly chip: ChipLike
  /** JAX devices of its mesh, default 1. */
  readonly devices?: number
  /** Bytes of arguments and results on one device, which go through its HBM at least once. Default 0. */
  readonly heldBytes?: number
}

const names: OptionTable<PlanProgramOptions> = {
  chip: 'required',
  devices: 'optional',
  heldBytes: 'optional',
}

/** What the time of a product is, at the peak rates of one device. */
export type ProductBound = 'compute' | 'hbm'

/** The runs of one product: of one line, one size and one dtype. */
export interface ProductRow {
  readonly site: string | null
  readonly runs: number
  /** On all devices together. */
  readonly batch: number
  readonly m: number
  readonly k: number
  readonly n: number
  /** The sizes on one device. */
  readonly local: Readonly<Record<'batch' | 'm' | 'k' | 'n', number>>
  readonly split: ProductSplit | null
  readonly dtype: PeakDType
  readonly passes: number
  /** Of all runs on all devices, without the passes. */
  readonly flops: number
  /** The sizes on one device in whole tiles of the matrix units. */
  readonly padded: readonly [m: number, k: number, n: number]
  /** Share of the multiplications that are not padding. */
  readonly utilisation: number
  /** Of all runs on one device: at the peak, with the padding, and of operands and results through HBM. */
  readonly seconds: { readonly compute: number; readonly padded: number; readonly hbm: number }
  readonly boundBy: ProductBound
}

/** What bounds a program on a chip. */
export interface ProgramPlan {
  readonly chip: string
  readonly devices: number
  /** Side of the matrix units. */
  readonly side: number
  readonly flops: number
  /** Of products of matrices alone. */
  readonly productFlops: number
  readonly bytes: number
  readonly seconds: {
    /** Products at the peak, spread evenly over all devices. */
    readonly compute: number
    /** Products as they are split, at the peak. */
    readonly split: number
    /** The same in whole tiles of the matrix units. */
    readonly padded: number
    /** Arguments and results of one device through its HBM. */
    readonly held: number
    /** Operands and results of every operation through HBM, where nothing is fused. */
    readonly unfused: number
  }
  /** The larger of compute and held: no fusion and no other split undercuts it. */
  readonly lowerBoundSeconds: number
  readonly boundBy: ProductBound
  /** Products, most work first. */
  readonly products: readonly ProductRow[]
  /** Products that do not fill the matrix units, by the time that their padding takes. */
  readonly audit: readonly ProductFinding[]
  readonly assumptions: readonly string[]
}

/** A product that does not fill the matrix units, with the line that it stands on. */
export interface ProductFinding {
  readonly site: string | null
  readonly what: string
  readonly evidence: string
  readonly remedy: string
  /** Seconds of padding on one device. */
  readonly seconds: number
}

/**
 * What bounds a program on a chip, from its operations: products at the peak rate of the matrix units, with and without padding, and
 * bytes at the rate of the HBM. `tpu-toolkit plan --program` reads the operations from StableHLO.
 *
 * Shape     none. Dtypes those of the products. Rounding none.
 * Throws    RangeError for an unknown chip, sizes and counts that are not positive integers.
 * Source    `chip(name).facts`; precision HIGH and HIGHEST are 3 and 6 passes of bfloat16 on a TPU (jax.lax.Precision).
 *
 * @example const product = { batch: 1, m: 512, k: 64, n: 512, dtype: 'bfloat16', passes: 1, split: null }
 * const step = [{ kind: 'dot_general', site: 'train.py:12', runs: 1, flops: 2 ** 25, bytes: 655360, product }]
 * planProgram(step, { chip: 'v5p' }).audit[0].evidence // 'k of 64 is padded to 128: 50 % of the multiplications are padding'
 */
export function planProgram(
  operations: readonly ProgramOperation[],
  options: PlanProgramOptions,
): ProgramPlan {
  const op = 'planProgram'
  if (!Array.isArray(operations)) {
    throw new TypeError(`${op}: operations are not a list [${shown(operations)}]`)
  }
  checkOptions(op, options, names)
  const { devices = 1, heldBytes = 0 } = options
  checkInteger(op, 'devices', devices, 1)
  checkNumber(op, 'heldBytes', heldBytes, 0)
  const chip = chipOf(op, options.chip)
  const hbm = chip.hbmBytesPerSecond / chip.jaxDevices
  const rows = new Map<string, ProductRow>()
  let [flops, productFlops, bytes, evenly] = [0, 0, 0, 0]
  for (const operation of operations) {
    checkOperation(op, operation)
    const { runs, product } = operation
    flops += runs * operation.flops
    bytes += runs * operation.bytes
    if (product === undefined) continue
    const work = runs * flopsOf(product)
    productFlops += work
    evenly += (work * product.passes) / devices / peakOf(chip, product.dtype)
    const row = rowOf(chip, devices, operation, product)
    const key = JSON.stringify([row.site, row.batch, row.m, row.k, row.n, row.dtype, row.passes, row.split])
    const before = rows.get(key)
    rows.set(key, before === undefined ? row : added(before, row))
  }
  const products = [...rows.values()].sort((a, b) => b.flops - a.flops)
  const total = (of: 'compute' | 'padded'): number =>
    products.reduce((sum, { seconds }) => sum + seconds[of], 0)
  const held = heldBytes / hbm
  return {
    ...{ chip: chip.name, devices, side: chip.mxuSide, flops, productFlops, bytes },
    seconds: {
      ...{ compute: evenly, split: total('compute'), padded: total('padded'), held },
      unfused: bytes / devices / hbm,
    },
    lowerBoundSeconds: Math.max(evenly, held),
    boundBy: evenly >= held ? 'compute' : 'hbm',
    products,
    audit: auditOf(products),
    assumptions: assumptionsOf(chip, devices, products),
  }
}

function checkOperation(op: string, operation: ProgramOperation): void {
  if (typeof operation !== 'object' || operation === null) {
    throw new TypeError(`${op}: an operation is not a record [${shown(operation)}]`)
  }
  const { runs, flops, bytes, product } = operation
  for (const [name, value] of Object.entries({ runs, flops, bytes })) checkNumber(op, name, value, 0)
  if (product === undefined) return
  const { batch, m, k, n, passes, split } = product
  for (const [name, size] of Object.entries({ batch, m, k, n, passes, ...(split ?? {}) })) {
    checkInteger(op, name, size, 1)
  }
}

const flopsOf = ({ batch, m, k, n }: ProgramProduct): number => 2 * batch * m * k * n

/** The rate of one device; a dtype without one is converted to bfloat16 first. */
function peakOf(chip: Chip, dtype: PeakDType): number {
  return peakOpsPerSecond(chip, hasRate(chip, dtype) ? dtype : 'bfloat16') / chip.jaxDevices
}

function hasRate(chip: Chip, dtype: PeakDType): boolean {
  if (dtype === 'bfloat16') return true
  return (dtype === 'int8' ? chip.int8OpsPerSecond : chip.float8FlopsPerSecond) !== null
}

function rowOf(
  chip: Chip,
  devices: number,
  { site, runs, bytes }: ProgramOperation,
  product: ProgramProduct,
): ProductRow {
  const { batch, m, k, n, dtype, passes, split } = product
  const part = (size: number, ways: number | undefined): number => Math.ceil(size / (ways ?? 1))
  const local = {
    ...{ batch: part(batch, split?.batch), m: part(m, split?.m) },
    ...{ k: part(k, split?.k), n: part(n, split?.n) },
  }
  const { padded, utilisation } = fuller(local, chip.mxuSide)
  // Where the program does not say how it is split, every device takes an equal part of the whole.
  const share = split === null ? devices : 1
  const compute = (runs * flopsOf({ ...product, ...local }) * passes) / share / peakOf(chip, dtype)
  const ways = split === null ? devices : split.batch * split.m * split.k * split.n
  const hbm = (runs * bytes * chip.jaxDevices) / ways / chip.hbmBytesPerSecond
  return {
    ...{ site, runs, batch, m, k, n, local, split, dtype, passes, flops: runs * flopsOf(product) },
    ...{ padded, utilisation, seconds: { compute, padded: compute / utilisation, hbm } },
    boundBy: compute >= hbm ? 'compute' : 'hbm',
  }
}

/** The padding of the way round that pads less: either operand may be the one that stays in the array. */
function fuller(
  { m, k, n }: Readonly<Record<'m' | 'k' | 'n', number>>,
  side: number,
): { readonly padded: readonly [number, number, number]; readonly utilisation: number } {
  const plain = matmulPadding({ m, k, n, side })
  const turned = matmulPadding({ m: n, k, n: m, side })
  if (plain.utilisation >= turned.utilisation) return plain
  const [rows, inner, columns] = turned.padded
  return { padded: [columns, inner, rows], utilisation: turned.utilisation }
}

function added(a: ProductRow, b: ProductRow): ProductRow {
  const seconds = {
    compute: a.seconds.compute + b.seconds.compute,
    padded: a.seconds.padded + b.seconds.padded,
    hbm: a.seconds.hbm + b.seconds.hbm,
  }
  return { ...a, runs: a.runs + b.runs, flops: a.flops + b.flops, seconds }
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`

function auditOf(products: readonly ProductRow[]): ProductFinding[] {
  return products
    .filter(({ utilisation }) => utilisation < 1)
    .map(({ site, runs, batch, m, k, n, local, padded, utilisation, seconds, split }) => {
      const sides = [
        ['m', local.m, padded[0]],
        ['k', local.k, padded[1]],
        ['n', local.n, padded[2]],
      ] as const
      const grown = sides.filter(([, size, whole]) => whole > size)
      const list = grown.map(([name, size, whole]) => `${name} of ${size} is padded to ${whole}`).join(', ')
      const whole = `${m}x${k}x${n}${batch === 1 ? '' : `, batch ${batch}`}`
      const parts = split !== null && (local.m < m || local.k < k || local.n < n)
      return {
        site,
        what: `${whole}${parts ? `, on each device ${local.m}x${local.k}x${local.n}` : ''}, run ${runs === 1 ? 'once' : `${runs} times`}`,
        evidence: `${list}: ${percent(1 - utilisation)} of the multiplications are padding`,
        remedy: `${grown.map(([name, , size]) => `${name} of ${size}`).join(', ')} would take the same time${batch > 1 ? `; or one wider product in place of a batch of ${batch}` : ''}`,
        seconds: seconds.padded - seconds.compute,
      }
    })
    .sort((a, b) => b.seconds - a.seconds)
}

function assumptionsOf(chip: Chip, devices: number, products: readonly ProductRow[]): string[] {
  const slow = [...new Set(products.filter(({ dtype }) => !hasRate(chip, dtype)).map(({ dtype }) => dtype))]
  const unsaid = products.filter(({ split }) => split === null).length
  return [
    'products at the peak rate of their dtype, operands of float32 in one pass of bfloat16 unless the program asks for more',
    'operations that are no products count by their bytes alone',
    'padding: m or n to 8 rows, the other and k to the side of the arrays, whichever way round pads less; XLA may put several products of a batch into one pass',
    ...(devices > 1 ? ['no byte between devices is counted'] : []),
    ...(devices > 1 && unsaid > 0
      ? [
          `of ${unsaid} products the program does not say how they are split: an equal part for each device, padded as if whole`,
        ]
      : []),
    ...slow.map((dtype) => `${chip.name} has no published rate in ${dtype}: at the rate of bfloat16`),
  ]
}
