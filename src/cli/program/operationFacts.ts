import { basename } from 'node:path'
import type { Attribute, Location, Operation, Type } from '../../programs/stablehlo/index.js'

/** Operations that move, look up or only say something. */
const moves: ReadonlySet<string> = new Set(
  'constant broadcast_in_dim broadcast reshape transpose slice dynamic_slice dynamic_update_slice gather concatenate pad reverse iota convert bitcast_convert optimization_barrier custom_call tuple get_tuple_element call while case if composite return sharding_constraint copy manual_computation named_computation'.split(
    ' ',
  ),
)

/** Operations whose work is that of the operations inside of them. */
export function isContainer({ name }: Operation): boolean {
  return /^(func\.call|stablehlo\.(while|case|if|composite)|sdy\.(manual|named)_computation)$/.test(name)
}

/** Multiplications, additions, comparisons and functions: two a term of a product of matrices or a convolution. */
export function flopsOf(op: Operation): number {
  const kind = op.name.replace(/^\w+\./, '')
  const out = sum(op.results.slice(0, 1).map(({ type }) => sizeOf(type)))
  if (kind === 'dot_general' || kind === 'dot') return 2 * out * contracted(op)
  if (kind === 'convolution') {
    const kernel = sizeOf(op.operands[1]!.type)
    const features = Math.max(1, outputFeatures(op))
    return (2 * out * kernel) / features
  }
  if (kind === 'reduce') {
    return sum(op.operands.slice(0, op.operands.length / 2).map(({ type }) => sizeOf(type)))
  }
  if (kind === 'reduce_window') return out * product(integersOf(op.attributes['window_dimensions']))
  if (kind === 'scatter' || kind === 'select_and_scatter') return sizeOf(op.operands.at(-1)!.type)
  if (kind === 'sort') return out * Math.ceil(Math.log2(Math.max(2, out)))
  return moves.has(kind) ? 0 : out
}

function contracted({ operands, attributes }: Operation): number {
  const numbers = attributes['dot_dimension_numbers']
  const { type } = operands[0]!
  if (type.kind !== 'tensor') return 0
  const axes =
    numbers?.kind === 'dialect' && numbers.entries
      ? integersOf(numbers.entries['lhs_contracting_dimensions'])
      : [type.shape.length - 1]
  return product(axes.map((axis) => type.shape[axis] ?? 1))
}

function outputFeatures({ operands, attributes }: Operation): number {
  const numbers = attributes['dimension_numbers']
  const { type } = operands[1]!
  if (numbers?.kind !== 'dialect' || !numbers.entries || type.kind !== 'tensor') return 1
  const [axis] = integersOf(numbers.entries['kernel_output_feature_dimension'])
  return axis === undefined ? 1 : (type.shape[axis] ?? 1)
}

export function integersOf(attribute: Attribute | undefined): readonly number[] {
  if (attribute?.kind === 'denseArray') return attribute.values
  return attribute?.kind === 'integer' ? [Number(attribute.value)] : []
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
export const product = (values: readonly number[]): number =>
  values.reduce((total, value) => total * value, 1)
export const elementOf = (type: Type): string => (type.kind === 'tensor' ? type.element : '')
export const sizeOf = (type: Type): number =>
  type.kind === 'tensor' ? product(type.shape.map((length) => length ?? 0)) : 0

function bitsOf(element: string): number {
  const pair = /^complex<(.*)>$/.exec(element)
  if (pair) return 2 * bitsOf(pair[1]!)
  return Number(/\d+/.exec(element)?.[0] ?? 0)
}

export function bytesOf(type: Type): number {
  return type.kind === 'tensor' ? sizeOf(type) * Math.max(1, bitsOf(type.element) / 8) : 0
}

/** The innermost line of source, as `train.py:12`. */
export function siteOf(location: Location): string | undefined {
  switch (location.kind) {
    case 'file':
      return `${basename(location.file)}:${location.line}`
    case 'name':
      return location.child && siteOf(location.child)
    case 'callsite':
      return siteOf(location.callee) ?? siteOf(location.caller)
    case 'fused':
      return location.locations.map(siteOf).find((site) => site !== undefined)
    default:
      return undefined
  }
}
