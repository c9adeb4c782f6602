import { checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type Key, split } from '../../numbers/threefry/index.js'
import { partAt, placeOf, placesByDevice } from './deviceSlices.js'
import { checkMesh, type Mesh } from './mesh.js'
import { checkSpec, partsOf } from './spec.js'

/** Which devices get keys of their own. */
export interface ShardRngOptions {
  /**
   * The axes along which keys differ; along the others they are the same, as they are for devices that hold parts of one
   * layer's tensor and have to drop the same elements. Default: all axes.
   */
  readonly axes?: readonly string[]
}

const shardRngNames: OptionTable<ShardRngOptions> = { axes: 'optional' }

/**
 * A key for every device, from one: `shard_rng` of the Python toolkit. Device by device in the order of their numbers; the
 * keys are those of `random.split`, the first of the axes slowest.
 *
 * Throws    RangeError for an axis that the mesh has not, or that stands twice.
 *
 * @example const devices = mesh({ shape: [2, 2], axisNames: ['data', 'model'] })
 * const keys = shardRng(devices, random.key(0), { axes: ['data'] })
 * keys.map((key) => keys.indexOf(key)) // [0, 0, 2, 2]
 */
export function shardRng(mesh: Mesh, key: Key, options: ShardRngOptions = {}): Key[] {
  checkOptions('shardRng', options, shardRngNames, { positional: 'axes' })
  checkMesh('shardRng', mesh)
  const { axes = mesh.axisNames } = options
  if (!Array.isArray(axes)) throw new TypeError(`shardRng: axes is not an array of names [${shown(axes)}]`)
  checkSpec('shardRng', mesh, [axes])
  const keys = split(key, partsOf(mesh, axes))
  return placesByDevice(mesh).map((place) => keys[partAt(mesh, axes, placeOf(mesh, place))]!)
}
