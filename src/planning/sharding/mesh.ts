import { checkInteger, checkOptions, type OptionTable, shown } from '../../base/options/index.js'

/** Devices in a grid whose axes have names. */
export interface Mesh {
  /** Devices along each axis; the last axis is the fastest. */
  readonly shape: readonly number[]
  readonly axisNames: readonly string[]
  /** How many devices there are. */
  readonly size: number
  /** The number of the device at each place, row-major. */
  readonly devices: readonly number[]
  /** Where each place's device is on the torus, as [x, y, z, core], row-major; where the mesh was made for a slice. */
  readonly coordinates?: readonly Coordinates[]
}

/** Where a device is: its chip on the torus, and which of the chip's devices it is. */
export type Coordinates = readonly [x: number, y: number, z: number, core: number]

/** A grid of devices. */
export interface MeshOptions {
  /** Devices along each axis. */
  readonly shape: readonly number[]
  /** One name for each axis. */
  readonly axisNames: readonly string[]
  /** The number of the device at each place: row-major, or nested as the shape says. Default: 0, 1, 2, ... */
  readonly devices?: DeviceGrid
}

/** Numbers of devices in a row, or in rows of rows. */
export type DeviceGrid = readonly number[] | readonly DeviceGrid[]

const meshNames: OptionTable<MeshOptions> = { shape: 'required', axisNames: 'required', devices: 'optional' }

/**
 * A mesh of devices, in the order given: `jax.sharding.Mesh`. `createMesh` makes one for a slice, in the order of its torus.
 *
 * Throws    RangeError where an axis has no name, a name stands twice (jax takes that and fails later), or the devices are
 *           not as many as the shape says or not distinct.
 *
 * @example mesh({ shape: [4, 2], axisNames: ['data', 'model'] }).size // 8
 * @example mesh({ shape: [64, 1], axisNames: ['data'] }) // throws mesh: 2 dimensions, but 1 axis name [64, 1 and data]
 */
export function mesh(options: MeshOptions): Mesh {
  checkOptions('mesh', options, meshNames)
  const { shape, axisNames } = options
  checkShape('mesh', 'shape', shape, 1)
  checkAxisNames(axisNames)
  if (shape.length !== axisNames.length) {
    throw new RangeError(
      `mesh: ${counted(shape.length, 'dimension')}, but ${counted(axisNames.length, 'axis name')} [${shown(shape)} and ${shown(axisNames)}]`,
    )
  }
  const size = shape.reduce((product, axis) => product * axis, 1)
  checkInteger('mesh', 'the number of devices', size, 1, 2 ** 24)
  const devices = flattened(options.devices ?? Array.from({ length: size }, (_, i) => i), shape)
  checkDevices(devices, size)
  return { shape: [...shape], axisNames: [...axisNames], size, devices: [...devices] }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Throws unless `shape` is a list of whole numbers. */
export function checkShape(op: string, what: string, shape: readonly number[], least: number = 0): void {
  if (!Array.isArray(shape)) throw new TypeError(`${op}: ${what} is not an array of sizes [${shown(shape)}]`)
  for (const size of shape) checkInteger(op, `a size of ${what}`, size, least)
}

function checkAxisNames(names: readonly string[]): void {
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && name !== '')) {
    throw new TypeError(`mesh: axisNames is not an array of names [${shown(names)}]`)
  }
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new RangeError(`mesh: an axis name stands twice [${shown(names)}]`)
}

/** Nested numbers row by row; the nesting has to be the shape. */
function flattened(grid: DeviceGrid, shape: readonly number[]): readonly number[] {
  if (!Array.isArray(grid)) throw new TypeError(`mesh: devices is not an array of numbers [${shown(grid)}]`)
  const isNested = (level: DeviceGrid): level is readonly DeviceGrid[] => Array.isArray(level[0])
  if (!isNested(grid)) return grid
  const rows = (level: DeviceGrid, [length, ...rest]: readonly number[]): readonly number[] => {
    if (!Array.isArray(level) || level.length !== length) {
      throw new RangeError(`mesh: devices are not nested as the shape [${shown(grid)} and ${shown(shape)}]`)
    }
    return isNested(level) && rest.length > 0
      ? level.flatMap((row) => rows(row, rest))
      : (level as readonly number[])
  }
  return rows(grid, shape)
}

function checkDevices(devices: readonly number[], size: number): void {
  for (const device of devices) checkInteger('mesh', 'a device', device)
  if (devices.length !== size) {
    throw new RangeError(
      `mesh: the shape has ${size} places, but devices are ${devices.length} [${shown(devices)}]`,
    )
  }
  if (new Set(devices).size !== size) throw new RangeError(`mesh: a device stands twice [${shown(devices)}]`)
}

const isListOf = (type: 'number' | 'string', value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === type)

/** Throws unless `value` is a mesh. */
export function checkMesh(op: string, value: Mesh): void {
  if (
    typeof value !== 'object' ||
    value === null ||
    !isListOf('number', value.shape) ||
    !isListOf('string', value.axisNames) ||
    !isListOf('number', value.devices) ||
    typeof value.size !== 'number' ||
    value.axisNames.length !== value.shape.length
  ) {
    throw new TypeError(
      `${op}: the first argument is not a mesh, make one with mesh({ shape, axisNames }) [${shown(value)}]`,
    )
  }
}

/** The size of a named axis. */
export function axisSize(of: Mesh, name: string): number {
  return of.shape[of.axisNames.indexOf(name)]!
}
