import type { Mesh } from './mesh.js'
import { type PartitionSpec, partsOf, splitAxes } from './spec.js'

/**
 * The shape of what each device holds of an array: `NamedSharding(mesh, spec).shard_shape(arrayShape)`.
 *
 * Shape     each dimension divided by the product of the axes that split it; dimensions without an entry stay whole.
 * Special   a dimension of 0 divides into any number of parts; an axis of size 1 splits nothing, yet counts as used.
 * Throws    RangeError for an axis that the mesh has not or that stands twice, for a spec longer than the array has
 *           dimensions (also by nulls, which jax's shard_shape lets pass and its device_put refuses), and for a dimension
 *           that does not divide.
 *
 * @example const devices = mesh({ shape: [4, 2], axisNames: ['x', 'y'] })
 * shardShape(devices, ['x', 'y'], [8, 2048]) // [2, 1024]
 * shardShape(devices, [['x', 'y']], [8, 2048]) // [1, 2048]
 * shardShape(devices, ['x', 'x'], [8, 8]) // throws shardShape: an axis is used twice in the spec [x]
 */
export function shardShape(mesh: Mesh, spec: PartitionSpec, arrayShape: readonly number[]): number[] {
  const axes = splitAxes('shardShape', mesh, spec, arrayShape)
  return arrayShape.map((size, d) => size / partsOf(mesh, axes[d]!))
}
