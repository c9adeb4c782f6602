import { checkArray, checkName, checkRecord, shown } from '../../base/options/index.js'
import { deviceSlices, type Mesh, type PartitionSpec, shardShape } from '../../planning/sharding/index.js'
import { checkTensor, type DType, sameShape, slice, Tensor, zeros } from '../../tensors/tensor/index.js'

/** A tensor in parts on the devices of a mesh. */
export interface Sharded<D extends DType = DType> {
  readonly mesh: Mesh
  /** The axes that split each dimension, one list a dimension. */
  readonly spec: readonly (readonly string[])[]
  /** The shape of the whole. */
  readonly shape: readonly number[]
  readonly dtype: D
  /** Axes along which the devices hold addends of the whole, still to be summed. */
  readonly unreduced: readonly string[]
  /** What each device holds, by its place in the mesh, row-major. */
  readonly shards: readonly Tensor<D>[]
}

/**
 * A tensor placed on a mesh: each device gets its part, devices along other axes copies.
 *
 * Dtype     of the tensor. Rounding none.
 * Throws    as `sharding.shardShape`.
 *
 * @example const devices = sharding.mesh({ shape: [2, 2], axisNames: ['x', 'y'] })
 * shard(devices, ['x'], tensor([1, 2, 3, 4])).shards.map((part) => part.toNested()) // [[1, 2], [1, 2], [3, 4], [3, 4]]
 */
export function shard<D extends DType>(mesh: Mesh, spec: PartitionSpec, x: Tensor<D>): Sharded<D> {
  if (!(x instanceof Tensor)) throw new TypeError(`shard: needs a tensor [${shown(x)}]`)
  const byDevice = deviceSlices(mesh, spec, x.shape)
  const order = [...mesh.devices].sort((a, b) => a - b)
  const shards = mesh.devices.map((device) =>
    slice(
      x,
      byDevice[order.indexOf(device)]!.map(([from, to]) => [from, to]),
    ),
  )
  const axes = x.shape.map((_, d) => {
    const entry = spec[d] ?? null
    return entry === null ? [] : typeof entry === 'string' ? [entry] : [...entry]
  })
  return { mesh, spec: axes, shape: x.shape, dtype: x.dtype, unreduced: [], shards }
}

/** What the devices along an axis hold as addends of a whole: one tensor for each index along it, copies along other axes. */
export function addends<D extends DType>(mesh: Mesh, axis: string, parts: readonly Tensor<D>[]): Sharded<D> {
  checkRecord('addends', 'mesh', mesh, ['axisNames', 'shape'])
  checkArray('addends', 'parts', parts)
  checkName('addends', 'axis', axis, mesh.axisNames)
  const first = parts[0]
  if (first === undefined || parts.length !== mesh.shape[mesh.axisNames.indexOf(axis)]) {
    throw new RangeError(`addends: not one tensor for each device along ${axis} [${parts.length}]`)
  }
  const { dtype, shape } = first
  for (const part of parts) {
    if (part.dtype !== dtype) {
      throw new TypeError(`addends: dtypes differ, cast one of them [${dtype} and ${part.dtype}]`)
    }
    if (!sameShape(part.shape, shape)) {
      throw new RangeError(`addends: shapes differ [${shape.join(', ')} and ${part.shape.join(', ')}]`)
    }
  }
  const shards: Tensor<D>[] = []
  for (const group of groupsAlong(mesh, axis)) {
    group.forEach((place, i) => {
      shards[place] = parts[i]!
    })
  }
  return { mesh, spec: shape.map(() => []), shape, dtype, unreduced: [axis], shards }
}

/**
 * The whole tensor of its parts.
 *
 * Rounding  none.
 * Throws    RangeError where sums are still to be made, and where copies of a part differ.
 *
 * @example const devices = sharding.mesh({ shape: [2, 2], axisNames: ['x', 'y'] })
 * unshard(shard(devices, ['y'], tensor([1, 2, 3, 4]))).toNested() // [1, 2, 3, 4]
 */
export function unshard<D extends DType>(x: Sharded<D>): Tensor<D> {
  checkRecord('unshard', 'x', x, ['mesh', 'spec', 'shards'])
  const { mesh, spec, shape, dtype, unreduced, shards } = x
  checkArray('unshard', 'unreduced', unreduced)
  checkArray('unshard', 'shards', shards)
  for (const part of shards) checkTensor('unshard', part)
  const partShape = shardShape(mesh, spec, shape)
  const other = shards.find((part) => !sameShape(part.shape, partShape) || part.dtype !== dtype)
  if (other !== undefined || shards.length !== mesh.devices.length) {
    throw new RangeError(
      `unshard: shards are not one ${dtype} tensor [${partShape.join(', ')}] a device [${other === undefined ? shards.length : shown(other)}]`,
    )
  }
  if (unreduced.length > 0) {
    throw new RangeError(`unshard: devices hold addends, reduce them first [${unreduced.join(', ')}]`)
  }
  const whole = zeros(shape, { dtype })
  const filled = new Map<string, Tensor<D>>()
  const slices = deviceSlices(mesh, spec, shape)
  const order = [...mesh.devices].sort((a, b) => a - b)
  shards.forEach((part, place) => {
    const at = slices[order.indexOf(mesh.devices[place]!)]!
    const name = at.join(' ')
    const before = filled.get(name)
    if (before === undefined) {
      filled.set(name, part)
      copyInto(
        whole.data,
        part,
        shape,
        at.map(([from]) => from),
      )
    } else if (!sameBits(before, part)) {
      throw new RangeError(`unshard: copies of a part differ [${name}]`)
    }
  })
  return whole
}

/** Writes a part at its place in the whole, row by row. */
function copyInto(
  whole: Tensor['data'],
  { data, shape: part }: Tensor,
  shape: readonly number[],
  from: readonly number[],
): void {
  const row = part.at(-1) ?? 1
  if (data.length === 0) return
  for (let start = 0; start < data.length; start += row) {
    let rest = start / row
    let offset = from.at(-1) ?? 0
    let stride = shape.at(-1) ?? 1
    for (let d = part.length - 2; d >= 0; d--) {
      offset += (from[d]! + (rest % part[d]!)) * stride
      stride *= shape[d]!
      rest = Math.floor(rest / part[d]!)
    }
    whole.set(data.subarray(start, start + row) as never, offset)
  }
}

function sameBits(a: Tensor, b: Tensor): boolean {
  const bytes = ({ data: { buffer, byteOffset, byteLength } }: Tensor): Uint8Array =>
    new Uint8Array(buffer, byteOffset, byteLength)
  const [first, second] = [bytes(a), bytes(b)]
  return first.length === second.length && first.every((byte, i) => byte === second[i])
}

/** The places that differ in one axis only, in its order, one group for each place of the others. */
export function groupsAlong({ shape, axisNames, size }: Mesh, axis: string): number[][] {
  const at = axisNames.indexOf(axis)
  const count = shape[at]!
  const stride = shape.slice(at + 1).reduce((n, length) => n * length, 1)
  const firsts = Array.from({ length: size }, (_, place) => place).filter(
    (place) => Math.floor(place / stride) % count === 0,
  )
  return firsts.map((first) => Array.from({ length: count }, (_, i) => first + i * stride))
}
