import type { Attribute, Operation, Type, Value } from '../../programs/stablehlo/index.js'
import { integersOf } from '../program/operationFacts.js'

/** Axes of a mesh, or parts of them, that split one dimension. */
export type DimensionAxes = readonly { readonly axis: string; readonly size: number }[]

/** How each dimension of a value is split. */
export type ValueAxes = readonly DimensionAxes[]

/** Reads `@mesh, [{"data"}, {"model", ?}]`, the text of an `sdy.sharding`, with the sizes of the mesh's axes. */
export function readAxes(
  attribute: Attribute | undefined,
  mesh: ReadonlyMap<string, number>,
): ValueAxes | undefined {
  if (attribute?.kind !== 'dialect') return undefined
  const [, list] = /@(?:"[^"]*"|[\w.$-]+)\s*,\s*\[([^\]]*)\]/.exec(attribute.text) ?? []
  if (list === undefined) return undefined
  return [...list.matchAll(/\{([^}]*)\}/g)].map(([, names]) =>
    // A part of an axis is "x":(before)size.
    [...names!.matchAll(/"([^"]*)"(?::\((\d+)\)(\d+))?/g)].map(([, axis, before, part]) => ({
      axis: part === undefined ? axis! : `${axis}:(${before})${part}`,
      size: part === undefined ? (mesh.get(axis!) ?? 1) : Number(part),
    })),
  )
}

/** In how many parts axes split a dimension. */
export const waysOf = (axes: DimensionAxes | undefined): number =>
  (axes ?? []).reduce((ways, { size }) => ways * size, 1)

const shapeOf = (type: Type): readonly (number | undefined)[] | undefined =>
  type.kind === 'tensor' ? type.shape : undefined

/**
 * How an operation's results are split, from how its operands are; undefined where that does not follow. Operations on elements pass it
 * on, moves of whole dimensions move it; what XLA decides by itself is not guessed.
 */
export function axesAfter(
  op: Operation,
  axes: (value: Value) => ValueAxes | undefined,
): ValueAxes | undefined {
  const kind = op.name.replace(/^\w+\./, '')
  const [result] = op.results
  const shape = result && shapeOf(result.type)
  if (result === undefined || shape === undefined) return undefined
  if (op.operands.length === 0) return shape.map(() => [])
  const [operand] = op.operands
  const from = axes(operand!)
  const numbers = (name: string): readonly number[] => integersOf(op.attributes[name])
  switch (kind) {
    case 'transpose':
      return from && numbers('permutation').map((axis) => from[axis] ?? [])
    case 'broadcast_in_dim': {
      const own = shapeOf(operand!.type)
      const places = numbers('broadcast_dimensions')
      return (
        from &&
        shape.map((size, axis) => {
          const at = places.indexOf(axis)
          return at >= 0 && own?.[at] === size ? (from[at] ?? []) : []
        })
      )
    }
    case 'reduce': {
      const gone = numbers('dimensions')
      return from?.filter((_, axis) => !gone.includes(axis))
    }
    case 'slice':
    case 'dynamic_slice': {
      // A dimension that is taken whole stays split.
      const own = shapeOf(operand!.type)
      return from?.map((each, axis) => (own?.[axis] === shape[axis] ? each : []))
    }
    case 'dynamic_update_slice':
      return from
    case 'reshape':
      return from && reshaped(from, shapeOf(operand!.type) ?? [], shape)
    case 'dot_general':
      return productAxes(op, axes)?.result
    default:
      return structured.has(kind) ? undefined : elementsAxes(op, axes, shape)
  }
}

/** Operations of one shape that are no operations on elements. */
const structured: ReadonlySet<string> = new Set(
  'call case if while composite custom_call gather scatter sort reverse reduce_window select_and_scatter pad concatenate fft cholesky triangular_solve convolution rng rng_bit_generator all_gather all_to_all collective_permute reduce_scatter manual_computation named_computation optimization_barrier'.split(
    ' ',
  ),
)

/** Of operations on elements: as the first operand that is split, else as one that is known. */
function elementsAxes(
  { operands }: Operation,
  axes: (value: Value) => ValueAxes | undefined,
  shape: readonly (number | undefined)[],
): ValueAxes | undefined {
  const known = operands
    .filter(({ type }) => same(shapeOf(type), shape))
    .map(axes)
    .filter((each) => each !== undefined)
  return known.find((each) => each.some((dimension) => dimension.length > 0)) ?? known[0]
}

/** Dimensions that are joined or cut: a split stays where it was on the outermost of those that become one group. */
function reshaped(
  from: ValueAxes,
  before: readonly (number | undefined)[],
  after: readonly (number | undefined)[],
): ValueAxes | undefined {
  const axes: DimensionAxes[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [starts, made] = [i, j]
    let [left, right] = [before[i++] ?? 1, after[j++] ?? 1]
    while (left !== right) {
      if (left < right && i < before.length) left *= before[i++] ?? 1
      else if (right < left && j < after.length) right *= after[j++] ?? 1
      else return undefined
    }
    const group = from.slice(starts, i)
    const outer = before.slice(starts, i).findIndex((size) => size !== 1)
    if (group.some((each, at) => at !== outer && each.length > 0)) return undefined
    const split = group[outer] ?? []
    const place = after.slice(made, j).findIndex((size) => size !== 1)
    if (split.length > 0 && (after[made + place] ?? 1) % waysOf(split) !== 0) return undefined
    for (let at = made; at < j; at++) axes.push(at === made + place ? split : [])
  }
  return axes
}

/** How a product is split, by kind of dimension, and its result. */
export interface ProductAxes {
  readonly batch: readonly DimensionAxes[]
  readonly m: readonly DimensionAxes[]
  readonly k: readonly DimensionAxes[]
  readonly n: readonly DimensionAxes[]
  readonly result: ValueAxes
}

/**
 * How a `dot_general` is split: batch and rows as the left operand, columns as the right one, each axis once. An axis that splits the
 * terms of the sums of one operand alone is taken to split them, where no row or column has it: the least work for a device.
 */
export function productAxes(
  { operands, attributes }: Operation,
  axes: (value: Value) => ValueAxes | undefined,
): ProductAxes | undefined {
  const [lhs, rhs] = operands.map(axes)
  const numbers = attributes['dot_dimension_numbers']
  if (lhs === undefined || rhs === undefined || numbers?.kind !== 'dialect' || !numbers.entries) {
    return undefined
  }
  const entries = numbers.entries
  const places = (name: string): readonly number[] => integersOf(entries[name])
  const used = new Set<string>()
  const once = (each: DimensionAxes): DimensionAxes => {
    const free: DimensionAxes[number][] = []
    for (const one of each) {
      if (used.has(one.axis)) continue
      used.add(one.axis)
      free.push(one)
    }
    return free
  }
  const [lhsBatch, rhsBatch] = [places('lhs_batching_dimensions'), places('rhs_batching_dimensions')]
  const [lhsTerms, rhsTerms] = [places('lhs_contracting_dimensions'), places('rhs_contracting_dimensions')]
  const batch = lhsBatch.map((place, i) => once([...(lhs[place] ?? []), ...(rhs[rhsBatch[i]!] ?? [])]))
  const rest = (all: ValueAxes, ...taken: readonly (readonly number[])[]): ValueAxes =>
    all.filter((_, place) => !taken.some((list) => list.includes(place)))
  const m = rest(lhs, lhsBatch, lhsTerms).map(once)
  const n = rest(rhs, rhsBatch, rhsTerms).map(once)
  const k = lhsTerms.map((place, i) => once([...(lhs[place] ?? []), ...(rhs[rhsTerms[i]!] ?? [])]))
  return { batch, m, k, n, result: [...batch, ...m, ...n] }
}

const same = (a: readonly unknown[] | undefined, b: readonly unknown[]): boolean =>
  a !== undefined && a.length === b.length && a.every((size, i) => size === b[i])
