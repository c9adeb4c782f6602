import { type Assignment, assignSplitSides, assignWholeSides } from './assignAxes.js'
import { ringOrder } from './rings.js'
import type { Torus } from './torus.js'

/**
 * The devices of a torus in the order of a mesh, as indices into `torus.devices`: neighbours along the mesh's last axis are
 * neighbours on the torus. The number of an axis where it is no product of whole sides and splitting is not asked for.
 *
 * Source    jax 0.10.2, mesh_utils.create_device_mesh
 */
export function deviceOrder(
  torus: Torus,
  shape: readonly number[],
  { split }: { readonly split: boolean },
): number[] | number {
  const ring = ringOrder(torus, shape)
  if (ring) return ring
  const whole = assignWholeSides(torus.sides, shape)
  if (typeof whole !== 'number') return ordered(torus, shape, whole)
  return split ? ordered(torus, shape, assignSplitSides(torus.sides, shape)) : whole
}

/**
 * Each place's device. Along every side the axes of the mesh follow one another, the last fastest; along every axis the sides
 * do, the last fastest.
 */
function ordered({ about, devices }: Torus, shape: readonly number[], assignment: Assignment): number[] {
  const numbers = new Map(devices.map((device, i) => [device.join(), i]))
  const size = devices.length
  const order: number[] = []
  for (let place = 0; place < size; place++) {
    const digits = digitsOf(place, shape, assignment)
    const coordinates = [0, 0, 0, 0]
    assignment.forEach((factors, side) => {
      coordinates[about[side]!] = factors.reduce(
        (index, factor, axis) => index * factor + digits[side]![axis]!,
        0,
      )
    })
    order.push(numbers.get(coordinates.join())!)
  }
  return order
}

/** A place's index along each axis, written in the factors of the sides. */
function digitsOf(place: number, shape: readonly number[], assignment: Assignment): number[][] {
  const digits = assignment.map(() => shape.map(() => 0))
  let rest = place
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    for (let side = assignment.length - 1; side >= 0; side--) {
      const factor = assignment[side]![axis]!
      digits[side]![axis] = rest % factor
      rest = Math.floor(rest / factor)
    }
  }
  return digits
}
