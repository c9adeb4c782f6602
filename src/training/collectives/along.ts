import { checkInteger, nearestName, shown } from '../../base/options/index.js'
import type { Mesh } from '../../planning/sharding/index.js'
import {
  cast,
  checkFloatDType,
  concat,
  type DType,
  type FloatDType,
  isFloat,
  split,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { collectiveTraffic, type Link } from './collectiveTraffic.js'
import { chunkSum, type GroupOrder, groupSum } from './groupSum.js'
import {
  allToAllLinks,
  type Moved,
  type Movement,
  movementOf,
  type RingOrder,
  ringLinks,
  type Wires,
} from './movement.js'
import { groupsAlong, type Sharded } from './sharded.js'

/** The axis whose parts are put together, and who passes them on. */
export interface GatherOptions {
  readonly axis: string
  /** 'ring' or 'bidirectional'. Default: 'bidirectional'. */
  readonly order?: RingOrder
}

/** The axis that is summed over, and how. */
export interface ReduceOptions {
  readonly axis: string
  /** Who adds what to what. Default: 'bidirectional'. */
  readonly order?: GroupOrder
  /** The dtype in which partial sums are sent. Default: that of the tensor. */
  readonly accumulate?: FloatDType
}

/** The axis that is summed over, and the dimension that it splits afterwards. */
export interface ScatterOptions extends ReduceOptions {
  /** The dimension that the axis is to split. */
  readonly dimension: number
  readonly order?: 'ring' | 'bidirectional' | 'all-to-all'
}

/** The axis, and the dimensions between which it moves. */
export interface AllToAllOptions {
  readonly axis: string
  /** The dimension that the axis splits now, by the last name of its entry. */
  readonly from: number
  /** The dimension that it is to split. */
  readonly to: number
}

/** How a sum over an axis is made. */
export interface ReduceHow {
  readonly axis: string
  readonly order: GroupOrder
  readonly accumulate?: FloatDType | undefined
  readonly wires: Wires | undefined
}

interface GatherHow {
  readonly axis: string
  readonly order: RingOrder
  readonly wires: Wires | undefined
}

const bytesOf = ({ data }: Tensor): number => data.byteLength
const wraps = (wires: Wires | undefined): boolean => wires?.wrap ?? true
const numbered = ({ devices }: Mesh, places: readonly number[]): number[] =>
  places.map((place) => devices[place]!)

/** Every device along the axis gets the parts of all, along the dimension that it splits. */
export function gatherAlong<D extends DType>(x: Sharded<D>, { axis, order, wires }: GatherHow): Moved<D> {
  const dimension = dimensionOf('allGather', x, axis)
  const shards = [...x.shards]
  const links: Link[] = []
  for (const group of groupsAlong(x.mesh, axis)) {
    const parts = group.map((place) => x.shards[place]!)
    const whole = concat(parts, { axis: dimension })
    for (const place of group) shards[place] = whole
    links.push(...ringLinks(numbered(x.mesh, group), bytesOf(parts[0]!), order, wraps(wires)))
  }
  const spec = x.spec.map((names, d) => (d === dimension ? names.slice(0, -1) : names))
  const steps = sizeOf(x.mesh, axis) - 1
  return { result: { ...x, spec, shards }, movements: moved('all-gather', axis, steps, links, wires) }
}

/** Every device along the axis gets the sum of what all hold. */
export function reduceAlong<D extends DType>(x: Sharded<D>, how: ReduceHow): Moved<D> {
  const { axis, order, wires } = how
  const { accumulate, dtype } = dtypesOf('allReduce', x, how)
  const shards = [...x.shards]
  const links: Link[] = []
  let steps = 0
  for (const group of groupsAlong(x.mesh, axis)) {
    const parts = group.map((place) => x.shards[place]!)
    const total = cast(groupSum(parts, order, accumulate), x.dtype)
    for (const place of group) shards[place] = total
    const traffic = reduceTraffic(order, numbered(x.mesh, group), total.size, { dtype, accumulate })
    links.push(...traffic.links)
    steps = traffic.steps
  }
  const unreduced = x.unreduced.filter((name) => name !== axis)
  return { result: { ...x, unreduced, shards }, movements: moved('all-reduce', axis, steps, links, wires) }
}

function reduceTraffic(
  order: GroupOrder,
  devices: readonly number[],
  elements: number,
  dtypes: { readonly dtype: FloatDType; readonly accumulate: FloatDType },
): { readonly steps: number; readonly links: Link[] } {
  const once = (group: readonly number[], count: number, way: 'ring' | 'tree' | 'all-to-all') => {
    const { steps, links } = collectiveTraffic({
      order: way,
      replicas: group.length,
      elements: count,
      ...dtypes,
    })
    return {
      steps,
      links: links.map(({ from, to, bytes }) => ({ from: group[from]!, to: group[to]!, bytes })),
    }
  }
  if (order !== 'bidirectional') return once(devices, elements, order)
  const half = Math.ceil(elements / 2)
  const forward = once(devices, half, 'ring')
  const backward = once([...devices].reverse(), elements - half, 'ring')
  return { steps: forward.steps, links: [...forward.links, ...backward.links] }
}

/** Each device along the axis gets its part of the sum, along a dimension that the axis splits from then on. */
export function scatterAlong<D extends DType>(x: Sharded<D>, how: ReduceHow, dimension: number): Moved<D> {
  const { axis, order, wires } = how
  const { accumulate } = dtypesOf('reduceScatter', x, how)
  if (order === 'tree') {
    throw new RangeError(
      'reduceScatter: a tree sums at one device, take ring, bidirectional or all-to-all [tree]',
    )
  }
  checkSplit('reduceScatter', x, axis, dimension)
  const count = sizeOf(x.mesh, axis)
  const shards = [...x.shards]
  const links: Link[] = []
  for (const group of groupsAlong(x.mesh, axis)) {
    const chunks = group.map((place) => split(x.shards[place]!, count, { axis: dimension }))
    group.forEach((place, c) => {
      const parts = chunks.map((pieces) => pieces[c]!)
      shards[place] = cast(chunkSum(parts, c, order, accumulate), x.dtype)
    })
    const sent = bytesOf(cast(chunks[0]![0]!, accumulate))
    const devices = numbered(x.mesh, group)
    links.push(
      ...(order === 'all-to-all'
        ? allToAllLinks(devices, bytesOf(chunks[0]![0]!), wraps(wires))
        : ringLinks(devices, sent, order, wraps(wires))),
    )
  }
  const spec = x.spec.map((names, d) => (d === dimension ? [...names, axis] : names))
  const unreduced = x.unreduced.filter((name) => name !== axis)
  const steps = order === 'all-to-all' ? Math.ceil((count - 1) / 2) : count - 1
  return {
    result: { ...x, spec, unreduced, shards },
    movements: moved('reduce-scatter', axis, steps, links, wires),
  }
}

/** The axis splits another dimension afterwards. */
export function allToAllAlong<D extends DType>(
  x: Sharded<D>,
  { axis, from, to }: AllToAllOptions,
  wires: Wires | undefined,
): Moved<D> {
  const op = 'allToAll'
  checkInteger(op, 'from', from, 0, x.shape.length - 1)
  if (dimensionOf(op, x, axis) !== from) {
    throw new RangeError(`${op}: ${axis} does not split dimension ${from} [${shown(x.spec)}]`)
  }
  if (from === to) throw new RangeError(`${op}: from and to are the same dimension [${from}]`)
  checkSplit(op, x, axis, to)
  const count = sizeOf(x.mesh, axis)
  const shards = [...x.shards]
  const links: Link[] = []
  for (const group of groupsAlong(x.mesh, axis)) {
    const blocks = group.map((place) => split(x.shards[place]!, count, { axis: to }))
    group.forEach((place, c) => {
      shards[place] = concat(
        blocks.map((pieces) => pieces[c]!),
        { axis: from },
      )
    })
    links.push(...allToAllLinks(numbered(x.mesh, group), bytesOf(blocks[0]![0]!), wraps(wires)))
  }
  const spec = x.spec.map((names, d) =>
    d === from ? names.slice(0, -1) : d === to ? [...names, axis] : names,
  )
  const steps = wraps(wires) ? Math.floor(count / 2) : count - 1
  return { result: { ...x, spec, shards }, movements: moved('all-to-all', axis, steps, links, wires) }
}

function moved(
  op: Movement['op'],
  axis: string,
  steps: number,
  links: readonly Link[],
  wires: Wires | undefined,
): Movement[] {
  return [movementOf(op, axis, steps, links, wires)]
}

const sizeOf = ({ shape, axisNames }: Mesh, axis: string): number => shape[axisNames.indexOf(axis)]!

/** The dimension that an axis splits, as the last of those that do. */
function dimensionOf(op: string, { mesh, spec }: Sharded, axis: string): number {
  checkAxis(op, mesh, axis)
  const dimension = spec.findIndex((names) => names.includes(axis))
  if (dimension < 0) throw new RangeError(`${op}: the axis splits no dimension [${axis}]`)
  const names = spec[dimension]!
  if (names.at(-1) !== axis) {
    throw new RangeError(
      `${op}: ${axis} is not the last axis of dimension ${dimension}, undo the later ones first [${names.join(', ')}]`,
    )
  }
  return dimension
}

function checkAxis(op: string, { axisNames }: Mesh, axis: string): void {
  if (axisNames.includes(axis)) return
  const near = typeof axis === 'string' ? nearestName(axis, axisNames) : undefined
  const advice = near === undefined ? `there are ${axisNames.join(', ')}` : `did you mean ${near}`
  throw new RangeError(`${op}: the mesh has no such axis, ${advice} [${shown(axis)}]`)
}

/** Throws unless an axis may split a dimension further: it splits none, and divides what each device has of it. */
function checkSplit(op: string, { spec, shards, mesh }: Sharded, axis: string, dimension: number): void {
  checkInteger(op, 'the dimension', dimension, 0, spec.length - 1)
  const taken = op === 'allToAll' ? -1 : spec.findIndex((names) => names.includes(axis))
  if (taken >= 0) throw new RangeError(`${op}: the axis splits dimension ${taken} already [${axis}]`)
  const size = shards[0]!.shape[dimension]!
  if (size % sizeOf(mesh, axis) !== 0) {
    throw new RangeError(
      `${op}: dimension ${dimension} of ${size} on each device does not divide into ${sizeOf(mesh, axis)} parts [${axis}]`,
    )
  }
}

function dtypesOf(
  op: string,
  x: Sharded,
  { axis, accumulate }: ReduceHow,
): { readonly dtype: FloatDType; readonly accumulate: FloatDType } {
  checkAxis(op, x.mesh, axis)
  if (!x.unreduced.includes(axis)) {
    throw new RangeError(`${op}: the devices along the axis hold no addends [${axis}]`)
  }
  const { dtype } = x
  if (!isFloat(dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${dtype}]`)
  if (accumulate !== undefined) checkFloatDType(op, 'accumulate', accumulate)
  return { dtype, accumulate: accumulate ?? dtype }
}
