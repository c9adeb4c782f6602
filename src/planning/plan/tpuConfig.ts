import { checkInteger, checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import {
  bitsOf,
  type ChipName,
  chip,
  type PeakDType,
  peakOpsPerSecond,
  type Slice,
  type StoredDType,
  slice,
} from '../hardware/index.js'
import type { Remat } from '../model/index.js'
import { createMesh, type Mesh } from '../sharding/index.js'
import { type Environment, type FlagAssignments, type FlagLevel, xlaFlags } from '../xla/index.js'

/** The dtype of products; float32 runs in several passes of bfloat16 and has no published rate. */
export type Precision = PeakDType | 'float32'

const precisions: readonly Precision[] = ['bfloat16', 'int8', 'float8_e4m3fn', 'float8_e5m2', 'float32']

/** A slice, the mesh on it, and the dtypes of a run. */
export interface TpuConfigOptions {
  readonly version: ChipName
  /** Chips, not TensorCores; with `topology` the two have to agree. Default: as the topology says. */
  readonly chips?: number
  /** `4x4x8`, or its sides. Default: the most compact that has so many chips. */
  readonly topology?: string | readonly number[]
  /** Of products. Default: 'bfloat16'. */
  readonly precision?: Precision
  /** Of stored parameters. Default: 'float32'. */
  readonly paramsDtype?: StoredDType
  /** What layers keep for the backward pass: 'everything', 'dots' or 'block'. Default: 'block'. */
  readonly remat?: Remat
  /** Devices along each axis of the mesh, as `createMesh` takes them. Default: all on fsdp. */
  readonly axes?: Readonly<Record<string, number>>
  /** Whether an axis may take part of a side of the torus. Default: false. */
  readonly splitPhysicalAxes?: boolean
  /** How many flags to set. Default: 'standard'. */
  readonly flags?: FlagLevel
  /** How bfloat16 gradients are summed in an all-reduce. Default: 'float32'. */
  readonly reductions?: 'default' | 'float32'
  /** Variables as they are set: they stay. Default: none. */
  readonly set?: Environment
}

const tpuConfigNames: OptionTable<TpuConfigOptions> = {
  ...{ version: 'required', chips: 'optional', topology: 'optional', precision: 'optional' },
  ...{ paramsDtype: 'optional', remat: 'optional', axes: 'optional', splitPhysicalAxes: 'optional' },
  ...{ flags: 'optional', reductions: 'optional', set: 'optional' },
}

/** A slice and how it is to be used. Rates and memories are of the whole slice unless they say otherwise. */
export interface TpuConfig {
  readonly version: ChipName
  readonly slice: Slice
  readonly chips: number
  readonly topology: readonly number[]
  readonly precision: Precision
  readonly paramsDtype: StoredDType
  readonly remat: Remat
  readonly reductions: 'default' | 'float32'
  /** Of all chips in `precision`; null for float32, whose rate is not published. */
  readonly peakOpsPerSecond: number | null
  /** Of all chips in every dtype that has a published rate. */
  readonly peaks: Readonly<Partial<Record<PeakDType, number>>>
  readonly hbmBytes: number
  /** What compiled programs may use of it. */
  readonly programHbmBytes: number
  readonly hbmBytesPerSecond: number
  /** One direction of one link. */
  readonly iciBytesPerSecondPerLink: number | null
  /** Host memory to one chip. */
  readonly pcieBytesPerSecondPerChip: number | null
  /** The data-centre network to one chip. */
  readonly dcnBytesPerSecondPerChip: number | null
  /** Operations per byte of HBM from which products are bound by the matrix units; null where the rate is. */
  readonly criticalIntensity: number | null
  readonly mesh: Mesh
  /** To be set before jax is imported. */
  readonly environment: FlagAssignments & { readonly JAX_DEFAULT_MATMUL_PRECISION: string }
}

/**
 * A slice, a precision, a mesh and flags as one description that has been checked: what goes together on that generation, and the
 * nearest that would where it does not.
 *
 * Throws    RangeError for an unknown chip, a number of chips or a topology that no slice has, a precision without a published
 *           rate on the chip, axes that do not multiply to the devices, flags that would end the process.
 * Source    `chip(version).facts`
 *
 * @example const config = tpuConfig({ version: 'v5p', chips: 64 })
 * config.slice.name // 'v5p-128'
 * config.peakOpsPerSecond // 29.376e15
 * config.environment.JAX_DEFAULT_MATMUL_PRECISION // 'bfloat16'
 * tpuConfig({ version: 'v4', chips: 32, precision: 'float8_e5m2' }) // throws tpuConfig: v4 has no published rate in float8_e5m2, nearest bfloat16 or int8; v5p, v6e, tpu7x have [float8_e5m2]
 */
export function tpuConfig(options: TpuConfigOptions): TpuConfig {
  checkOptions('tpuConfig', options, tpuConfigNames)
  const { precision = 'bfloat16', paramsDtype = 'float32', remat = 'block', reductions = 'float32' } = options
  const { name } = chip(options.version)
  checkName('tpuConfig', 'precision', precision, precisions)
  // The names of what is kept are checked where memory and FLOPs are counted.
  if (typeof remat !== 'object' || remat === null) {
    checkName('tpuConfig', 'remat', remat, ['everything', 'dots', 'dots_with_no_batch_dims', 'block'])
  }
  bitsOf(paramsDtype)
  const made = sliceFor(options)
  const peak = precision === 'float32' ? null : peakOf(name, precision)
  const { chips } = made
  const mesh = createMesh(made, {
    axes: options.axes ?? { data: 1, fsdp: -1 },
    splitPhysicalAxes: options.splitPhysicalAxes ?? false,
  })
  const flags = xlaFlags({
    hardware: name,
    level: options.flags ?? 'standard',
    reductions,
    ...(options.set === undefined ? {} : { set: options.set }),
  })
  return {
    ...{ version: name, slice: made, chips, topology: made.topology },
    ...{ precision, paramsDtype, remat, reductions },
    peakOpsPerSecond: peak === null ? null : peak * chips,
    peaks: Object.fromEntries(Object.entries(peaksOf(name)).map(([dtype, rate]) => [dtype, rate * chips])),
    hbmBytes: made.hbmBytes,
    programHbmBytes: made.programHbmBytes,
    hbmBytesPerSecond: made.hbmBytesPerSecond,
    iciBytesPerSecondPerLink: made.chip.iciBytesPerSecondPerLink,
    pcieBytesPerSecondPerChip: made.chip.pcieBytesPerSecond,
    dcnBytesPerSecondPerChip: made.chip.dcnBytesPerSecond,
    criticalIntensity: peak === null ? null : peak / made.chip.hbmBytesPerSecond,
    mesh,
    environment: { ...flags, JAX_DEFAULT_MATMUL_PRECISION: precision === 'float32' ? 'float32' : 'bfloat16' },
  }
}

function sliceFor({ version, chips, topology }: TpuConfigOptions): Slice {
  if (topology !== undefined) {
    const sides =
      typeof topology === 'string' ? topology : Array.isArray(topology) ? topology.join('x') : shown(topology)
    const made = slice(`${version}:${sides}`)
    if (chips !== undefined && chips !== made.chips) {
      throw new RangeError(
        `tpuConfig: ${sides} has ${made.chips} chips, not ${shown(chips)}: leave one of the two out [${shown(chips)} and ${sides}]`,
      )
    }
    return made
  }
  if (chips === undefined) throw new RangeError('tpuConfig: neither chips nor topology is given [no chips]')
  checkInteger('tpuConfig', 'chips', chips, 1)
  const { nameCounts, tensorCores } = chip(version)
  return slice(`${version}-${chips * (nameCounts === 'chips' ? 1 : tensorCores)}`)
}

const rated: readonly PeakDType[] = ['bfloat16', 'int8', 'float8_e4m3fn', 'float8_e5m2']

function peaksOf(name: ChipName): Partial<Record<PeakDType, number>> {
  const { bfloat16FlopsPerSecond, int8OpsPerSecond, float8FlopsPerSecond } = chip(name)
  const rates = [bfloat16FlopsPerSecond, int8OpsPerSecond, float8FlopsPerSecond, float8FlopsPerSecond]
  return Object.fromEntries(rated.flatMap((dtype, i) => (rates[i] === null ? [] : [[dtype, rates[i]]])))
}

function peakOf(name: ChipName, precision: PeakDType): number {
  const peaks = peaksOf(name)
  if (peaks[precision] !== undefined) return peakOpsPerSecond(chip(name), precision)
  const nearest = peaks.int8 !== undefined && precision.startsWith('float8') ? 'bfloat16 or int8' : 'bfloat16'
  const others = (['v4', 'v5e', 'v5p', 'v6e', 'tpu7x'] as const).filter(
    (other) => peaksOf(other)[precision] !== undefined,
  )
  throw new RangeError(
    `tpuConfig: ${name} has no published rate in ${precision}, nearest ${nearest}; ${others.join(', ')} have [${precision}]`,
  )
}
