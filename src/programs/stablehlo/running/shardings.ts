import type { Module, Operation } from '../module.js'

/** An axis of a mesh: neighbours along it differ by `stride` in their numbers. */
export interface MeshAxis {
  readonly name: string
  readonly size: number
  readonly stride: number
}

/** How a tensor lies on a mesh: the axes that cut each of its dimensions, the outermost first. */
export interface Sharding {
  readonly mesh: string
  readonly dimensions: readonly (readonly string[])[]
}

/** The axes of the mesh of a name, as `sdy.mesh` gives them. */
export function meshOf({ operations }: Module, name: string): readonly MeshAxis[] {
  const found = operations.find(({ name: kind, attributes }) => {
    const own = attributes['sym_name']
    return kind === 'sdy.mesh' && own?.kind === 'string' && own.value === name
  })
  const mesh = found?.attributes['mesh']
  if (mesh?.kind !== 'dialect') throw new RangeError(`runs on a mesh that is not in the module [@${name}]`)
  if (/device_ids/.test(mesh.text)) {
    throw new RangeError(`runs on a mesh with an order of devices of its own [@${name}]`)
  }
  const axes = [...mesh.text.matchAll(/"([^"]*)"\s*=\s*(\d+)/g)].map(([, axis, size]) => ({
    name: axis!,
    size: Number(size),
  }))
  return axes.map((axis, i) => ({
    ...axis,
    stride: axes.slice(i + 1).reduce((product, { size }) => product * size, 1),
  }))
}

/** The shardings of an attribute such as `[<@mesh, [{"x"}, {}]>, <@mesh, []>]`, one an operand. */
export function shardingsIn(op: Operation, name: string): readonly Sharding[] {
  const given = Object.hasOwn(op.attributes, name) ? op.attributes[name] : undefined
  const text = given?.kind === 'dialect' ? given.text : ''
  return [...text.matchAll(/<@("[^"]*"|[\w.$-]+)\s*,\s*\[([^\]]*)\]/g)].map(([, mesh, dimensions]) => {
    if (/":\(/.test(dimensions!)) throw new RangeError(`cuts an axis of a mesh into parts [${dimensions}]`)
    return {
      mesh: mesh!.replaceAll('"', ''),
      dimensions: [...dimensions!.matchAll(/\{([^}]*)\}/g)].map(([, names]) =>
        [...names!.matchAll(/"([^"]*)"/g)].map(([, axis]) => axis!),
      ),
    }
  })
}
