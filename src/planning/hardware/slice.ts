import {
  checkArray,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { type Chip, chip, chipNameOf, chipNames } from './chip.js'
import { chipsOf, topologies, wrapAround } from './topology.js'

/** A slice of a pod: so many chips of one generation, joined in a torus or a mesh. */
export interface Slice {
  /** As Cloud names it: v5p-128. */
  readonly name: string
  readonly chip: Chip
  readonly topology: readonly number[]
  /** Which axes close to a ring. */
  readonly wrap: readonly boolean[]
  readonly chips: number
  readonly tensorCores: number
  readonly jaxDevices: number
  readonly hosts: number
  readonly chipsPerHost: number
  readonly bfloat16FlopsPerSecond: number
  readonly hbmBytes: number
  /** What compiled programs may use of it, on all devices together. */
  readonly programHbmBytes: number
  readonly hbmBytesPerSecond: number
}

/** Which of the slices of a name is meant. */
export interface SliceOptions {
  /** The shape, where the name's count alone does not mean the one wanted: v5p-256 as 4x4x8. */
  readonly topology?: readonly number[]
  /** 4 unless given. v5e and v6e also have machines of 1 and of 8 chips. */
  readonly chipsPerHost?: number
  /**
   * 'offered' (the default): what Cloud offers. 'libtpu': whatever libtpu builds, which is every shape that its hosts of
   * 2x2x1 divide, and a single chip.
   */
  readonly rule?: 'offered' | 'libtpu'
}

const sliceNames: OptionTable<SliceOptions> = {
  topology: 'optional',
  chipsPerHost: 'optional',
  rule: 'optional',
}

/**
 * A slice of TPU chips (`slice` of tensor cuts a tensor) by its Cloud name (`v5p-128`) or by libtpu's notation (`v5p:4x4x4`). The number in a name counts TensorCores for
 * v2, v3, v4, v5p and tpu7x, so v5p-128 has 64 chips, and chips for v5e and v6e.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for an unknown chip, and for a size or shape that is not offered: the nearest ones are named.
 * Source    Cloud's pages and MaxText's table; shapes and hosts asked of libtpu 0.0.51.
 *
 * @example slice('v5p-128').chips // 64
 * @example slice('v5p-768').topology // [4, 8, 12]
 * @example slice('v5e:8x16').wrap // [false, true]
 * @example slice('v5p-100') // throws slice: v5p has no slice of 50 chips, nearest v5p-64 (2x4x4), v5p-128 (4x4x4) [v5p-100]
 */
export function slice(name: string, options?: SliceOptions): Slice {
  checkOptions('slice', options, sliceNames, { positional: 'topology' })
  const { rule = 'offered', topology: asked } = options ?? {}
  if (asked !== undefined) {
    checkArray('slice', 'topology', asked)
    for (const side of asked) checkInteger('slice', 'a side of topology', side, 1)
  }
  checkName('slice', 'rule', rule, ['offered', 'libtpu'])
  const [made, counted] = read(name)
  const topology = counted === undefined ? shapeOf(name) : named(made, counted, name, options?.topology)
  if (rule === 'offered') checkOffered(made, topology, name)
  const chipsPerHost = readHost(made, options?.chipsPerHost, topology)
  return describe(made, topology, hostsOf(made, topology, chipsPerHost, name), chipsPerHost)
}

function read(name: unknown): [Chip, number | undefined] {
  const parts = typeof name === 'string' ? /^([a-z0-9]+)(?:-(\d+)|:\d+(?:x\d+)*)$/i.exec(name) : null
  if (!parts) throw new RangeError(`slice: no name of a slice, such as v5p-128 or v5p:4x4x4 [${shown(name)}]`)
  const [, family = '', counted] = parts
  return [chip(chipNameOf(family)), counted === undefined ? undefined : Number(counted)]
}

const shapeOf = (name: string): number[] => (name.split(':')[1] ?? '').split('x').map(Number)
const text = (topology: readonly number[]): string => topology.join('x')

/** How many of what a slice's name counts are on one chip. */
const counts = ({ nameCounts, tensorCores }: Chip): number => (nameCounts === 'chips' ? 1 : tensorCores)

function named(
  made: Chip,
  counted: number,
  name: string,
  asked: readonly number[] | undefined,
): readonly number[] {
  const chips = counted / counts(made)
  if (asked !== undefined) {
    if (chipsOf(asked) === chips) return asked
    throw new RangeError(`slice: ${name} has ${chips} chips, the topology ${chipsOf(asked)} [${text(asked)}]`)
  }
  // The first of as many chips is the most compact.
  const found = topologies(made).find((shape) => chipsOf(shape) === chips)
  if (found) return found
  const counting = made.nameCounts === 'chips' || Number.isInteger(chips) ? '' : ', TensorCores are counted'
  throw new RangeError(
    `slice: ${made.name} has no slice of ${chips} chips${counting}, nearest ${nearest(made, chips)} [${name}]`,
  )
}

function checkOffered(made: Chip, topology: readonly number[], name: string): void {
  const same = (shape: readonly number[]): boolean => text(shape) === text(topology)
  if (topologies(made).some(same)) return
  const sorted = [...topology].sort((a, b) => a - b)
  const ordered = topologies(made).find((shape) => text([...shape].sort((a, b) => a - b)) === text(sorted))
  const near = ordered ? text(ordered) : nearest(made, chipsOf(topology))
  throw new RangeError(`slice: ${made.name} has no topology ${text(topology)}, nearest ${near} [${name}]`)
}

/** The largest slice of fewer chips and the smallest of as many or more, as text. */
function nearest(made: Chip, chips: number): string {
  const shapes = topologies(made)
  const below = shapes.filter((shape) => chipsOf(shape) < chips).map(chipsOf)
  const least = Math.max(...below)
  const beside = [
    shapes.find((shape) => chipsOf(shape) === least),
    shapes.find((shape) => chipsOf(shape) >= chips),
  ]
  return beside.flatMap((shape) => (shape ? [`${nameOf(made, shape)} (${text(shape)})`] : [])).join(', ')
}

const nameOf = (made: Chip, topology: readonly number[]): string =>
  `${made.name}-${chipsOf(topology) * counts(made)}`

function readHost(made: Chip, asked: number | undefined, topology: readonly number[]): number {
  if (asked === undefined) return Math.min(made.hostChips[0] ?? 4, chipsOf(topology))
  if (made.hostChips.includes(asked)) return asked
  throw new RangeError(
    `slice: hosts of ${made.name} have ${made.hostChips.join(', ')} chips [${shown(asked)}]`,
  )
}

/** Hosts are 2x2x1, or 2x4 where they have 8 chips. */
function hostsOf(made: Chip, topology: readonly number[], chipsPerHost: number, name: string): number {
  const dims = made.podTopology.length
  const whole = (side: unknown): boolean => Number.isInteger(side) && Number(side) > 0
  if (topology.length !== dims || !topology.every(whole)) {
    throw new RangeError(
      `slice: a topology of ${made.name} is not ${dims} positive whole numbers [${shown(topology)}]`,
    )
  }
  const [a = 1, b = 1] = topology
  const [rows, columns] = chipsPerHost === 8 ? [2, 4] : chipsPerHost === 1 ? [1, 1] : [2, 2]
  const alone = chipsOf(topology) === 1
  if (!alone && (a % rows !== 0 || b % columns !== 0)) {
    throw new RangeError(
      `slice: hosts of ${rows}x${columns} chips do not divide ${text(topology)}, nearest ${nearest(made, chipsOf(topology))} [${name}]`,
    )
  }
  return Math.max(1, chipsOf(topology) / chipsPerHost)
}

function describe(made: Chip, topology: readonly number[], hosts: number, chipsPerHost: number): Slice {
  const chips = chipsOf(topology)
  return Object.freeze({
    name: nameOf(made, topology),
    chip: made,
    topology: Object.freeze([...topology]),
    wrap: Object.freeze(wrapAround(made, topology)),
    chips,
    tensorCores: chips * made.tensorCores,
    jaxDevices: chips * made.jaxDevices,
    hosts,
    chipsPerHost,
    bfloat16FlopsPerSecond: chips * made.bfloat16FlopsPerSecond,
    hbmBytes: chips * made.hbmBytes,
    programHbmBytes: chips * made.programHbmBytes,
    hbmBytesPerSecond: chips * made.hbmBytesPerSecond,
  })
}

/** A slice given by its name, or made already; the caller's name stands in the error. */
export function sliceOf(op: string, given: string | Slice): Slice {
  if (typeof given === 'string') return slice(given)
  if (typeof given === 'object' && given !== null && 'jaxDevices' in given && 'topology' in given) {
    return given
  }
  throw new TypeError(`${op}: neither the name of a slice nor a slice [${shown(given)}]`)
}

/**
 * The smallest slice of a generation whose programs may use so many bytes of HBM, over all its devices.
 *
 * Throws    RangeError for an unknown chip, and where not even the largest job has so much.
 *
 * @example smallestSlice('v5p', 1e12).name // 'v5p-32'
 */
export function smallestSlice(name: string, bytes: number): Slice {
  const made = chip(name)
  checkNumber('smallestSlice', 'bytes', bytes, 0)
  const jobs = topologies(made).filter((shape) => chipsOf(shape) <= chipsOf(made.largestJobTopology))
  const found = jobs.find((shape) => chipsOf(shape) * made.programHbmBytes >= bytes)
  if (found) return slice(`${made.name}:${text(found)}`)
  const most = nameOf(made, made.largestJobTopology)
  const others = chipNames
    .map((other) => chip(other))
    .filter((other) => chipsOf(other.largestJobTopology) * other.programHbmBytes >= bytes)
  const advice = others.length === 0 ? 'no chip has' : `${others.map((other) => other.name).join(', ')} have`
  throw new RangeError(`smallestSlice: ${most} has not so many bytes, ${advice} [${shown(bytes)}]`)
}
