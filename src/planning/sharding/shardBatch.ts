import { checkArray, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type DeviceSlice, slicesByDevice } from './deviceSlices.js'
import { checkMesh, type Mesh } from './mesh.js'
import { type PartitionSpec, partsOf } from './spec.js'

/** The axes of the mesh that split a batch. */
export interface ShardBatchOptions {
  /** The axes over which rows are split. Default: those of data, fsdp and their like that the mesh has. */
  readonly axes?: readonly string[]
  /** The axes over which the second dimension, time, is split: sequence parallelism. Default: none. */
  readonly sequence?: readonly string[]
}

const shardBatchNames: OptionTable<ShardBatchOptions> = { axes: 'optional', sequence: 'optional' }

/** A batch on a mesh. */
export interface ShardedBatch {
  readonly spec: PartitionSpec
  readonly shardShape: readonly number[]
  /** Devices that compute the same rows; more than the mesh has for other purposes is work done twice. */
  readonly replicas: number
  /** What each device holds, in the order of the devices' numbers. */
  readonly slices: readonly DeviceSlice[]
}

/** Axes that split the batch: parameters split over fsdp are gathered for use, so that its devices compute rows of their own. */
const splitting: readonly string[] = ['pod', 'replica', 'data', 'fsdp', 'batch']

/**
 * A batch over data and fsdp: `shard_batch` of the Python toolkit, which splits over data alone, so that the devices of fsdp
 * compute the same rows.
 *
 * Throws    as `shardShape`, the nearest sizes of a batch named.
 *
 * @example const devices = mesh({ shape: [8, 4], axisNames: ['data', 'fsdp'] })
 * shardBatch(devices, [256, 128]).shardShape // [8, 128]
 * shardBatch(devices, [256, 128], { axes: ['data'] }).replicas // 4
 * shardBatch(devices, [100, 128]) // throws shardBatch: dimension 0 of 100 does not divide into 32 parts over data, fsdp, 96 and 128 would [100, 128 on 8 x 4]
 */
export function shardBatch(
  mesh: Mesh,
  shape: readonly number[],
  options: ShardBatchOptions = {},
): ShardedBatch {
  checkOptions('shardBatch', options, shardBatchNames, { positional: 'axes' })
  checkMesh('shardBatch', mesh)
  const { axes = mesh.axisNames.filter((name) => splitting.includes(name)), sequence = [] } = options
  if (!Array.isArray(shape) || shape.length === 0) {
    throw new RangeError(`shardBatch: a batch has at least one dimension [${shown(shape)}]`)
  }
  checkArray('shardBatch', 'axes', axes)
  checkArray('shardBatch', 'sequence', sequence)
  const spec: PartitionSpec = sequence.length === 0 ? [axes] : [axes, sequence]
  const slices = slicesByDevice('shardBatch', mesh, spec, shape)
  const rows = partsOf(mesh, axes)
  const steps = partsOf(mesh, sequence)
  return {
    spec,
    shardShape: shape.map((size, d) => (d === 0 ? size / rows : d === 1 ? size / steps : size)),
    replicas: mesh.size / rows / steps,
    slices,
  }
}
