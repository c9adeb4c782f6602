import { nearestName, shown } from '../../base/options/index.js'
import { checkMesh, checkShape, type Mesh } from './mesh.js'

/** How one dimension of an array is split: not at all, over one axis, or over several, the first of them slowest. */
export type SpecEntry = null | string | readonly string[]

/** How an array is split: entry k is about dimension k, dimensions without an entry are whole: `jax.sharding.PartitionSpec`. */
export type PartitionSpec = readonly SpecEntry[]

/** The axes that split each dimension of an array, one list a dimension. */
export type SplitAxes = readonly (readonly string[])[]

/** The names in an entry. */
export function namesIn(entry: SpecEntry): readonly string[] {
  return entry === null ? [] : typeof entry === 'string' ? [entry] : entry
}

/**
 * What a spec says about an array of that shape on that mesh, checked in the order in which jax does: the spec against the
 * mesh first, then against the shape.
 */
export function splitAxes(op: string, of: Mesh, spec: PartitionSpec, shape: readonly number[]): SplitAxes {
  checkMesh(op, of)
  checkSpec(op, of, spec)
  checkShape(op, 'the array', shape)
  if (spec.length > shape.length) {
    throw new RangeError(
      `${op}: the spec has more entries than the array has dimensions [${spec.length} and ${shape.length}]`,
    )
  }
  const axes = shape.map((_, d) => namesIn(spec[d] ?? null))
  axes.forEach((names, d) => {
    const parts = partsOf(of, names)
    if (shape[d]! % parts !== 0) throw indivisible(op, of, shape, d, names, parts)
  })
  return axes
}

/** Throws where a spec is none, names an axis that the mesh has not, or names one twice. */
export function checkSpec(op: string, of: Mesh, spec: PartitionSpec): void {
  if (!Array.isArray(spec)) throw new TypeError(`${op}: the spec is not an array [${shown(spec)}]`)
  const used = new Set<string>()
  for (const entry of spec) {
    if (entry !== null && typeof entry !== 'string' && !(Array.isArray(entry) && entry.every(isText))) {
      throw new TypeError(`${op}: an entry of the spec is not null, a name or names [${shown(entry)}]`)
    }
    for (const name of namesIn(entry)) {
      if (!of.axisNames.includes(name)) throw unknownAxis(op, of, name)
      if (used.has(name)) throw new RangeError(`${op}: an axis is used twice in the spec [${name}]`)
      used.add(name)
    }
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** The error for an axis that the mesh has not. */
export function unknownAxis(op: string, { axisNames }: Mesh, name: string): RangeError {
  const near = nearestName(name, axisNames)
  const advice = near === undefined ? `there are ${axisNames.join(', ') || 'none'}` : `did you mean ${near}`
  return new RangeError(`${op}: the mesh has no such axis, ${advice} [${shown(name)}]`)
}

/** How many parts these axes make together. */
export function partsOf(of: Mesh, names: readonly string[]): number {
  return names.reduce((parts, name) => parts * of.shape[of.axisNames.indexOf(name)]!, 1)
}

function indivisible(
  op: string,
  of: Mesh,
  shape: readonly number[],
  d: number,
  names: readonly string[],
  parts: number,
): RangeError {
  const size = shape[d]!
  const below = size - (size % parts)
  const near = below === 0 ? `${parts} would` : `${below} and ${below + parts} would`
  return new RangeError(
    `${op}: dimension ${d} of ${size} does not divide into ${parts} parts over ${names.join(', ')}, ${near} [${shown(shape)} on ${of.shape.join(' x ')}]`,
  )
}
