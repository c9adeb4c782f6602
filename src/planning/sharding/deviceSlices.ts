import type { Mesh } from './mesh.js'
import { type PartitionSpec, partsOf, type SplitAxes, splitAxes } from './spec.js'

/** Where a part of a dimension begins and ends; the end is not in it. */
export type Interval = readonly [start: number, stop: number]

/** What a device holds of an array: one interval for each dimension. */
export type DeviceSlice = readonly Interval[]

/**
 * What each device holds of an array, in the order of the devices' numbers: `devices_indices_map` as plain data.
 * A dimension split over several axes is split row-major in the order in which the spec names them, the first slowest:
 * ['y', 'x'] is not ['x', 'y'].
 *
 * Throws    as `shardShape`.
 *
 * @example const devices = mesh({ shape: [2, 2], axisNames: ['x', 'y'] })
 * deviceSlices(devices, ['x'], [4]) // [[[0, 2]], [[0, 2]], [[2, 4]], [[2, 4]]]
 * deviceSlices(devices, [['y', 'x']], [4]) // [[[0, 1]], [[2, 3]], [[1, 2]], [[3, 4]]]
 */
export function deviceSlices(mesh: Mesh, spec: PartitionSpec, arrayShape: readonly number[]): DeviceSlice[] {
  return slicesByDevice('deviceSlices', mesh, spec, arrayShape)
}

/** The same, with another operation's name in errors. */
export function slicesByDevice(
  op: string,
  mesh: Mesh,
  spec: PartitionSpec,
  arrayShape: readonly number[],
): DeviceSlice[] {
  const axes = splitAxes(op, mesh, spec, arrayShape)
  return placesByDevice(mesh).map((place) => sliceAt(mesh, axes, arrayShape, placeOf(mesh, place)))
}

/** The place in the mesh of each device, in the order of the devices' numbers. */
export function placesByDevice({ devices }: Mesh): number[] {
  return devices.map((_, place) => place).sort((a, b) => devices[a]! - devices[b]!)
}

/** The index along every axis of a place. */
export function placeOf({ shape }: Mesh, place: number): number[] {
  const indices: number[] = []
  for (let axis = shape.length - 1, rest = place; axis >= 0; axis--) {
    indices[axis] = rest % shape[axis]!
    rest = Math.floor(rest / shape[axis]!)
  }
  return indices
}

function sliceAt(
  mesh: Mesh,
  axes: SplitAxes,
  arrayShape: readonly number[],
  place: readonly number[],
): DeviceSlice {
  return arrayShape.map((size, d) => {
    const part = partAt(mesh, axes[d]!, place)
    const length = size / partsOf(mesh, axes[d]!)
    return [part * length, (part + 1) * length]
  })
}

/** Which part a place has of what these axes split. */
export function partAt(mesh: Mesh, names: readonly string[], place: readonly number[]): number {
  return names.reduce((part, name) => {
    const axis = mesh.axisNames.indexOf(name)
    return part * mesh.shape[axis]! + place[axis]!
  }, 0)
}
