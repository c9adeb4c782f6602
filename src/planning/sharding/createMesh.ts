import { checkInteger, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type Slice, slice } from '../hardware/index.js'
import { deviceOrder } from './deviceOrder.js'
import { type Mesh, mesh } from './mesh.js'
import { toolkitPods } from './toolkitPods.js'
import { type Torus, torusOf } from './torus.js'

/** How a slice's devices are arranged as a mesh. */
export interface CreateMeshOptions {
  /**
   * Devices along each named axis, the one that communicates most last; -1 for what the others leave. Default: the pod's row
   * of `toolkitPods`, else all devices on `data` and 1 on `fsdp`.
   */
  readonly axes?: Readonly<Record<string, number>>
  /** 'torus': neighbours are neighbours on the links, as `jax.make_mesh`; 'given': by the devices' numbers. Default: 'torus'. */
  readonly order?: 'torus' | 'given'
  /** Whether an axis may take a part of a side of the torus, where no whole sides make its size. Default: false. */
  readonly splitPhysicalAxes?: boolean
}

const createMeshNames: OptionTable<CreateMeshOptions> = {
  axes: 'optional',
  order: 'optional',
  splitPhysicalAxes: 'optional',
}

/**
 * The mesh of a slice's devices: `create_mesh` of the Python toolkit with the number of devices that there are (v5p-8 is 4
 * chips), for any slice and any axes, in the order of the torus.
 *
 * Throws    RangeError where the axes do not multiply to the slice's devices, and where an axis is not a product of whole sides of
 *           the torus: the sides are named, and splitPhysicalAxes.
 * Source    jax 0.10.2, mesh_utils.create_device_mesh
 *
 * @example createMesh('v5p-8').shape // [4, 1]
 * @example createMesh('v5p-128').shape // [16, 4]
 * @example createMesh('v5e-16', { axes: { data: -1, model: 4 } }).shape // [4, 4]
 * @example createMesh('v5e-4', { axes: { x: 4 } }).coordinates // [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0]]
 */
export function createMesh(on: string | Slice, options: CreateMeshOptions = {}): Mesh {
  checkOptions('createMesh', options, createMeshNames, { positional: 'axes' })
  const { order = 'torus', splitPhysicalAxes = false } = options
  const of = typeof on === 'string' ? slice(on) : on
  if (typeof of !== 'object' || of === null || of.chip === undefined) {
    throw new TypeError(`createMesh: needs a slice or its name, such as v5p-128 [${shown(on)}]`)
  }
  const torus = torusOf(of)
  const axes = axesFor(of, torus.devices.length, options.axes)
  const axisNames = Object.keys(axes)
  const shape = Object.values(axes)
  if (order !== 'torus' && order !== 'given') {
    throw new RangeError(`createMesh: order is neither torus nor given [${shown(order)}]`)
  }
  const devices =
    order === 'given' ? torus.devices.map((_, i) => i) : ordered(of, torus, axes, splitPhysicalAxes)
  return {
    ...mesh({ shape, axisNames, devices }),
    coordinates: devices.map((device) => torus.devices[device]!),
  }
}

function ordered(
  { name, topology }: Slice,
  torus: Torus,
  axes: Readonly<Record<string, number>>,
  split: boolean,
): number[] {
  const found = deviceOrder(torus, Object.values(axes), { split })
  if (typeof found !== 'number') return found
  const [axis, size] = Object.entries(axes)[found]!
  throw new RangeError(
    `createMesh: ${axis} of ${size} is no product of whole sides of ${name}, ${topology.join('x')}; choose such a product, or splitPhysicalAxes: true [${Object.values(axes).join(' x ')}]`,
  )
}

/** The axes with -1 replaced, checked against the number of devices. */
function axesFor(
  { name }: Slice,
  devices: number,
  asked: Readonly<Record<string, number>> | undefined,
): Readonly<Record<string, number>> {
  if (asked === undefined) {
    const pod = toolkitPods.find((row) => row.pod === name)
    return { data: devices / (pod?.fsdp ?? 1), fsdp: pod?.fsdp ?? 1 }
  }
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) {
    throw new TypeError(`createMesh: axes is not a record such as { data: -1, fsdp: 4 } [${shown(asked)}]`)
  }
  const sizes = Object.entries(asked)
  const open = sizes.filter(([, size]) => size === -1)
  if (open.length > 1) {
    throw new RangeError(`createMesh: more than one axis is -1 [${open.map(([axis]) => axis).join(', ')}]`)
  }
  for (const [axis, size] of sizes) if (size !== -1) checkInteger('createMesh', `axis ${axis}`, size, 1)
  const fixed = sizes.reduce((product, [, size]) => (size === -1 ? product : product * size), 1)
  const fits = open.length === 1 ? devices % fixed === 0 : fixed === devices
  if (!fits) {
    throw new RangeError(
      `createMesh: ${name} has ${devices} devices, the axes ${fixed}${open.length === 1 ? ' times -1' : ''}, ${advice(asked, devices)} [${sizes.map(([axis, size]) => `${axis} ${size}`).join(', ')}]`,
    )
  }
  return Object.fromEntries(sizes.map(([axis, size]) => [axis, size === -1 ? devices / fixed : size]))
}

/** Axes that would fit: one of the sizes changed as little as possible. */
function advice(asked: Readonly<Record<string, number>>, devices: number): string {
  const axes = Object.entries(asked)
  const fitting = axes.flatMap(([axis, size], i) => {
    const others = axes.reduce(
      (product, [, other], j) => (j === i || other === -1 ? product : product * other),
      1,
    )
    const changed = devices / others
    return Number.isInteger(changed) && size !== -1
      ? [{ axis, changed, by: Math.abs(Math.log(changed / size)) }]
      : []
  })
  const nearest = fitting.sort((a, b) => a.by - b.by)[0]
  return nearest ? `${nearest.axis} of ${nearest.changed} would do` : 'none of them divides it'
}
