import type { Mesh } from './mesh.js'
import { type PartitionSpec, partsOf, splitAxes } from './spec.js'

/** What a spec does to an array. */
export interface Sharding {
  /** The shape of each device's part. */
  readonly shardShape: readonly number[]
  /** How many different parts there are. */
  readonly distinctShards: number
  /** How many devices hold each part. */
  readonly replicas: number
  /** Whether every device holds the whole array. */
  readonly fullyReplicated: boolean
}

/**
 * The layout of an array on a mesh: shards and replicas.
 *
 * Throws    as `shardShape`.
 *
 * @example const devices = mesh({ shape: [8, 4], axisNames: ['data', 'fsdp'] })
 * shardingOf(devices, ['data', null], [256, 128]).replicas // 4
 * shardingOf(devices, [['data', 'fsdp'], null], [256, 128]).replicas // 1
 */
export function shardingOf(mesh: Mesh, spec: PartitionSpec, arrayShape: readonly number[]): Sharding {
  const axes = splitAxes('shardingOf', mesh, spec, arrayShape)
  const parts = axes.map((names) => partsOf(mesh, names))
  // The parts of an empty dimension are all alike: [0, 0).
  const distinctShards = parts.reduce((all, count, d) => all * (arrayShape[d] === 0 ? 1 : count), 1)
  return {
    shardShape: arrayShape.map((size, d) => size / parts[d]!),
    distinctShards,
    replicas: mesh.size / distinctShards,
    fullyReplicated: parts.every((count) => count === 1),
  }
}

/**
 * Whether two specs put the same part of an array on every device: what `is_equivalent_to` says, and `==` of the specs does
 * not.
 *
 * Throws    as `shardShape`.
 *
 * @example const devices = mesh({ shape: [2, 2], axisNames: ['x', 'y'] })
 * isEquivalent(devices, ['x'], ['x', null], [4, 4]) // true
 * isEquivalent(devices, [['x', 'y']], [['y', 'x']], [4, 4]) // false
 */
export function isEquivalent(
  mesh: Mesh,
  first: PartitionSpec,
  second: PartitionSpec,
  arrayShape: readonly number[],
): boolean {
  const [a, b] = [first, second].map((spec) => splitAxes('isEquivalent', mesh, spec, arrayShape))
  // Axes of size 1 split nothing: what remains decides, its order included.
  const split = (names: readonly string[]): string =>
    names.filter((name) => partsOf(mesh, [name]) > 1).join(' ')
  return arrayShape.every((size, d) => size === 0 || split(a![d]!) === split(b![d]!))
}
