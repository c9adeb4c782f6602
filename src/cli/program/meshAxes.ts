import type { Module } from '../../programs/stablehlo/index.js'

/** The axes of the meshes of a module and their sizes, as `sdy.mesh` gives them: those of the mesh with the most devices. */
export function meshAxesOf({ operations }: Module): ReadonlyMap<string, number> {
  const meshes = operations.flatMap(({ name, attributes }) => {
    const mesh = attributes['mesh']
    if (name !== 'sdy.mesh' || mesh?.kind !== 'dialect') return []
    return [
      new Map(
        [...mesh.text.matchAll(/"([^"]*)"\s*=\s*(\d+)/g)].map(([, axis, size]) => [axis!, Number(size)]),
      ),
    ]
  })
  return meshes.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a), new Map<string, number>())
}

/** The devices of a module: 1 where it has no mesh. */
export const devicesOf = (module: Module): number => sizeOf(meshAxesOf(module))

const sizeOf = (axes: ReadonlyMap<string, number>): number =>
  [...axes.values()].reduce((devices, size) => devices * size, 1)
