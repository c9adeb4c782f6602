import fc from 'fast-check'
import { type Mesh, mesh } from 'tpu-toolkit/sharding'

const names = ['x', 'y', 'z']
/** Meshes of one to three axes. */
export const meshes: fc.Arbitrary<Mesh> = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
  .map((shape) => mesh({ shape, axisNames: names.slice(0, shape.length) }))

/** How many parts these axes make. */
export function partsOf(
  { shape, axisNames }: { shape: readonly number[]; axisNames: readonly string[] },
  axes: readonly string[],
) {
  return axes.reduce((n, name) => n * shape[axisNames.indexOf(name)]!, 1)
}
