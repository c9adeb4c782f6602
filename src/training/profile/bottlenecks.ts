import {
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type ChipLike, chipNames } from '../../planning/hardware/index.js'
import { matmulPadding } from '../../planning/mxu/index.js'
import { adviceFor, type Bound } from './adviceFor.js'
import { chipRoofline, type Roofline } from './roofline.js'
import type { ProfiledOperation, RunProfile } from './runProfile.js'

/** The roofline of a profile, and options. */
export interface BottleneckOptions {
  /** Operations of one name together, or each by itself. Default 'name'. */
  readonly by?: 'name' | 'operation'
  /** Bytes that go to other chips in a run, all-reduced gradients say. Default 0. */
  readonly linkBytes?: number
}

const names: OptionTable<BottleneckOptions> = { by: 'optional', linkBytes: 'optional' }

/** Operations, and what bounds them. */
export interface Bottleneck {
  readonly name: string
  readonly calls: number
  /** Measured on a machine, foretold for a chip: the largest of its terms. */
  readonly microseconds: number
  /** Of the whole. */
  readonly share: number
  readonly boundBy: Bound
  /** What each of them alone would take, as a share of the time. */
  readonly shares: Readonly<Record<Bound, number>>
  /** The largest share of compute, memory and links: 1 at the roof. */
  readonly reached: number
  /** What to do about it. */
  readonly advice: string
}

/** What bounds a run. */
export interface BottleneckReport {
  readonly against: Roofline
  readonly microseconds: number
  /** The longest first. */
  readonly rows: readonly Bottleneck[]
  /** The share of the time of what each of them bounds. */
  readonly shares: Readonly<Record<Bound, number>>
}

/**
 * What bounds each operation of a profile: against a machine (`measureRoofline()`) the measured time beside what its FLOPs, its bytes and
 * the fixed cost of a call would take; against a TPU, by its name, the time that it would take there at least. Products are padded to a
 * chip's matrix unit.
 *
 * Special   a profile counts bytes as this package moves them: a program of XLA's fuses other operations. On a chip nothing has a fixed cost.
 *
 * @example const measured = profile(() => matmul(zeros([256, 256]), zeros([256, 256])), { runs: 1 })
 * bottlenecks(measured, 'v5e').rows[0].boundBy // 'memory'
 */
export function bottlenecks(
  profile: RunProfile,
  against: Roofline | ChipLike,
  options: BottleneckOptions = noOptions,
): BottleneckReport {
  checkRecord('bottlenecks', 'profile', profile, ['operations', 'outsideMicroseconds'])
  checkOptions('bottlenecks', options, names)
  const { by = 'name', linkBytes = 0 } = options
  checkName('bottlenecks', 'by', by, ['name', 'operation'])
  checkNumber('bottlenecks', 'linkBytes', linkBytes, 0)
  const roof = rooflineOf(against)
  const groups = new Map<string, ProfiledOperation[]>()
  for (const [i, operation] of profile.operations.entries()) {
    const key = by === 'name' ? operation.name : `${operation.name} #${i}`
    groups.set(key, [...(groups.get(key) ?? []), operation])
  }
  const found = [...groups].map(([name, operations]) => rowOf(name, operations, roof))
  if (roof.kind === 'machine') found.push(outsideRow(profile.outsideMicroseconds))
  if (linkBytes > 0) found.push(linkRow(linkBytes, roof))
  const total = found.reduce((sum, { microseconds }) => sum + microseconds, 0)
  const rows = found
    .map((row) => ({ ...row, share: total === 0 ? 0 : row.microseconds / total }))
    .sort((a, b) => b.microseconds - a.microseconds)
  const shares = { compute: 0, memory: 0, collective: 0, overhead: 0 }
  for (const { boundBy, share } of rows) shares[boundBy] += share
  return { against: roof, microseconds: total, rows, shares }
}

function rooflineOf(against: Roofline | ChipLike): Roofline {
  if (typeof against === 'string') return chipRoofline(against)
  checkRecord('bottlenecks', 'against', against)
  if ('bytesPerSecond' in against) return against
  if ('hbmBytesPerSecond' in against) return chipRoofline(against)
  throw new TypeError(
    `bottlenecks: neither a roofline nor a chip, there are ${chipNames.join(', ')} [${Object.keys(against).slice(0, 5).join(', ')}]`,
  )
}

type Found = Omit<Bottleneck, 'share'>

function rowOf(name: string, operations: readonly ProfiledOperation[], roof: Roofline): Found {
  const compute = operations.reduce((sum, operation) => sum + computeTime(operation, roof), 0)
  const bytes = operations.reduce((sum, operation) => sum + operation.bytes, 0)
  const memory = (bytes / roof.bytesPerSecond) * 1e6
  const least = Math.max(compute, memory)
  const own = operations.reduce((sum, { selfMicroseconds }) => sum + selfMicroseconds, 0)
  const microseconds = roof.kind === 'machine' ? own : least
  const fixed = Math.min(microseconds, roof.overheadMicroseconds * operations.length)
  const terms = { compute, memory, collective: 0, overhead: fixed }
  // Less work than a call costs: nothing else can be what takes the time.
  const small = roof.kind === 'machine' && (fixed > microseconds / 2 || least < fixed)
  const boundBy: Bound = small ? 'overhead' : compute >= memory ? 'compute' : 'memory'
  return {
    ...{ name, calls: operations.length, microseconds, boundBy },
    shares: sharesOf(terms, microseconds),
    reached: microseconds === 0 ? 0 : Math.min(1, least / microseconds),
    advice: adviceFor(boundBy, operations, roof, microseconds === 0 ? 1 : least / microseconds),
  }
}

/** Microseconds of an operation's FLOPs; a product padded to the matrix unit. */
function computeTime({ product, flops }: ProfiledOperation, roof: Roofline): number {
  if (!product) return (flops / roof.vectorFlopsPerSecond) * 1e6
  const { m, k, n, count } = product
  const padded =
    roof.side === undefined || m * k * n === 0
      ? flops
      : 2 * count * matmulPadding({ m, k, n, side: roof.side }).paddedMacs
  return (padded / roof.flopsPerSecond) * 1e6
}

function outsideRow(microseconds: number): Found {
  return {
    ...{ name: 'outside of operations', calls: 1, microseconds, boundBy: 'overhead', reached: 0 },
    shares: { compute: 0, memory: 0, collective: 0, overhead: microseconds === 0 ? 0 : 1 },
    advice: 'JavaScript between operations: compile what runs between them, or do it less often',
  }
}

function linkRow(linkBytes: number, { linkBytesPerSecond, name }: Roofline): Found {
  if (linkBytesPerSecond === undefined) {
    throw new RangeError(`bottlenecks: linkBytes are given, but ${name} has no links [${linkBytes}]`)
  }
  const microseconds = (linkBytes / linkBytesPerSecond) * 1e6
  return {
    ...{ name: 'between chips', calls: 1, microseconds, boundBy: 'collective', reached: 1 },
    shares: { compute: 0, memory: 0, collective: 1, overhead: 0 },
    advice:
      'reduce gradients in bfloat16, shard fewer axes over chips, or do more on each chip between two reductions',
  }
}

function sharesOf(terms: Readonly<Record<Bound, number>>, whole: number): Bottleneck['shares'] {
  const part = (term: number): number => (whole === 0 ? 0 : Math.min(1, term / whole))
  const { compute, memory, collective, overhead } = terms
  return {
    ...{ compute: part(compute), memory: part(memory) },
    ...{ collective: part(collective), overhead: part(overhead) },
  }
}
