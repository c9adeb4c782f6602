import { checkName, checkNumber, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import type { Mesh, PartitionSpec } from '../../planning/sharding/index.js'
import type { DType, Tensor } from '../../tensors/tensor/index.js'
import {
  type AllToAllOptions,
  allToAllAlong,
  type GatherOptions,
  gatherAlong,
  type ReduceHow,
  type ReduceOptions,
  reduceAlong,
  type ScatterOptions,
  scatterAlong,
} from './along.js'
import { groupOrders } from './groupSum.js'
import type { Moved, Wires } from './movement.js'
import { addends, type Sharded, shard, unshard } from './sharded.js'
import { type ShardedMatmulOptions, shardedMatmul } from './shardedMatmul.js'

/** What a simulated mesh is made of. */
export interface DeviceMeshOptions {
  /** The links between neighbours, where times are wanted. Default: none, and every `seconds` is null. */
  readonly wires?: Wires
}

/** Devices that are simulated: collectives over the axes of their mesh really move and add tensors, and say what they moved. */
export interface DeviceMesh {
  readonly mesh: Mesh
  /** Lays a tensor on the devices. */
  shard<D extends DType>(spec: PartitionSpec, x: Tensor<D>): Sharded<D>
  /** One tensor for each index along an axis, which are to be summed over it, such as gradients; copies along other axes. */
  addends<D extends DType>(axis: string, parts: readonly Tensor<D>[]): Sharded<D>
  /** The whole of what the devices hold. */
  unshard<D extends DType>(x: Sharded<D>): Tensor<D>
  /** Undoes a split: every device along the axis gets the parts of all. The axis is the last that splits its dimension. */
  allGather<D extends DType>(x: Sharded<D>, options: GatherOptions): Moved<D>
  /** Sums what the devices along an axis hold as addends; all of them get the sum. */
  allReduce<D extends DType>(x: Sharded<D>, options: ReduceOptions): Moved<D>
  /** Sums as well, and leaves each device its part of the sum along a dimension. */
  reduceScatter<D extends DType>(x: Sharded<D>, options: ScatterOptions): Moved<D>
  /** Moves an axis from one dimension to another. */
  allToAll<D extends DType>(x: Sharded<D>, options: AllToAllOptions): Moved<D>
  /** A matrix product of sharded tensors, with the collectives that their specs require. */
  matmul<D extends DType>(a: Sharded<D>, b: Sharded<D>, options?: ShardedMatmulOptions): Moved<D>
}

const deviceMeshNames: OptionTable<DeviceMeshOptions> = { wires: 'optional' }
const wiresNames: OptionTable<Wires> = {
  bytesPerSecond: 'required',
  hopSeconds: 'optional',
  wrap: 'optional',
}
const gatherNames: OptionTable<GatherOptions> = { axis: 'required', order: 'optional' }
const reduceNames: OptionTable<ReduceOptions> = {
  axis: 'required',
  order: 'optional',
  accumulate: 'optional',
}
const scatterNames: OptionTable<ScatterOptions> = { ...reduceNames, dimension: 'required' }
const allToAllNames: OptionTable<AllToAllOptions> = { axis: 'required', from: 'required', to: 'required' }

/**
 * A mesh of simulated devices that runs sharded products and collectives over tensors of any dtype.
 *
 * Rounding  moving rounds nothing. Sums: every addition to the accumulator's dtype, in the order named, then once to the
 *           tensor's dtype. With float32 sums in the same order the bits are those of the unsharded sum.
 * Throws    RangeError for axes, dimensions and orders that are none.
 * Source    orders: `allReduce`; movement: links between neighbours along one axis
 *
 * @example const devices = deviceMesh(sharding.mesh({ shape: [2, 2], axisNames: ['x', 'y'] }))
 * const a = devices.shard([null, 'x'], tensor([[1, 2]]))
 * const b = devices.shard(['x', 'y'], tensor([[3, 4], [5, 6]]))
 * const product = devices.matmul(a, b)
 * devices.unshard(product.result).toNested() // [[13, 16]]
 * product.movements.map(({ op, axis, perLink }) => `${op} over ${axis}: ${perLink} bytes a link`) // ['all-reduce over x: 4 bytes a link']
 */
export function deviceMesh(mesh: Mesh, options: DeviceMeshOptions = {}): DeviceMesh {
  checkOptions('deviceMesh', options, deviceMeshNames, { positional: 'wires' })
  const { wires } = options
  if (wires !== undefined) {
    checkOptions('deviceMesh', wires, wiresNames)
    checkNumber('deviceMesh', 'bytesPerSecond', wires.bytesPerSecond, Number.MIN_VALUE)
  }
  if (!Array.isArray(mesh?.axisNames)) throw new TypeError(`deviceMesh: needs a mesh [${shown(mesh)}]`)
  const how = (op: string, { axis, order = 'bidirectional', accumulate }: ReduceOptions): ReduceHow => {
    checkName(op, 'order', order, groupOrders)
    return { axis, order, accumulate, wires }
  }
  return {
    mesh,
    shard: (spec, x) => shard(mesh, spec, x),
    addends: (axis, parts) => addends(mesh, axis, parts),
    unshard,
    allGather: (x, given) => {
      checkOptions('allGather', given, gatherNames, { positional: 'axis' })
      checkName('allGather', 'order', given.order ?? 'ring', ['ring', 'bidirectional'])
      return gatherAlong(x, { axis: given.axis, order: given.order ?? 'bidirectional', wires })
    },
    allReduce: (x, given) => {
      checkOptions('allReduce', given, reduceNames, { positional: 'axis' })
      return reduceAlong(x, how('allReduce', given))
    },
    reduceScatter: (x, given) => {
      checkOptions('reduceScatter', given, scatterNames, { positional: 'axis' })
      return scatterAlong(x, how('reduceScatter', given), given.dimension)
    },
    allToAll: (x, given) => {
      checkOptions('allToAll', given, allToAllNames, { positional: 'axis' })
      return allToAllAlong(x, given, wires)
    },
    matmul: (a, b, given) => shardedMatmul(a, b, given, wires),
  }
}
