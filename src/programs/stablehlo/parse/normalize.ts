import type { Attribute, DenseElementsAttribute } from '../module.js'
import type { Draft } from './draft.js'
import { elementLayout } from './elementLayout.js'

/** Attributes that are lists of integers, which older texts write as `dense<[0, 1]> : tensor<2xi64>`. */
const lists = new Set([
  'base_dilations',
  'broadcast_dimensions',
  'broadcast_sizes',
  'dimensions',
  'edge_padding_high',
  'edge_padding_low',
  'fft_length',
  'interior_padding',
  'known_expanding_dimensions',
  'known_nonexpanding_dimensions',
  'lhs_dilation',
  'limit_indices',
  'permutation',
  'rhs_dilation',
  'slice_sizes',
  'start_indices',
  'strides',
  'window_dilations',
  'window_dimensions',
  'window_reversal',
  'window_strides',
])

/** Brings attributes to the one form that both spellings have. */
export function normalize({ dialect, name, attributes }: Draft): void {
  if (dialect !== 'stablehlo' && dialect !== 'chlo' && dialect !== 'mhlo') return
  for (const key in attributes) {
    const value = attributes[key]!
    if (value.kind === 'denseElements' && lists.has(key)) attributes[key] = listOf(value)
    else if (isDefault(name.slice(dialect.length + 1), key, value)) delete attributes[key]
  }
}

/** Attributes that the short spelling leaves out where they have this value; the generic one has them if they were given. */
const defaults: Readonly<Record<string, Readonly<Record<string, (value: Attribute) => boolean>>>> = {
  cholesky: { lower: isZero },
  composite: { composite_attributes: isEmpty, version: isZero },
  custom_call: {
    api_version: (value) => value.kind === 'integer' && value.value === 1,
    called_computations: isEmpty,
    has_side_effect: isZero,
    output_operand_aliases: isEmpty,
  },
}

/** Whether an attribute is left out of both spellings, being the default. */
function isDefault(operation: string, key: string, value: Attribute): boolean {
  if (key === 'result_accuracy') {
    return value.kind === 'dialect' && value.text === 'mode = #stablehlo.result_accuracy_mode<DEFAULT>'
  }
  return Object.hasOwn(defaults, operation) && defaults[operation]![key]?.(value) === true
}

function isZero(value: Attribute): boolean {
  return value.kind === 'integer' && value.value === 0
}

function isEmpty(value: Attribute): boolean {
  if (value.kind === 'array') return value.values.length === 0
  return value.kind === 'dictionary' && Object.keys(value.entries).length === 0
}

/** More than any list of dimensions has. */
const longest = 256

function listOf(elements: DenseElementsAttribute): Attribute {
  const { type, splat, bytes } = elements
  const length = type.shape[0] ?? 0
  const layout = elementLayout(type.element)
  if (type.shape.length !== 1 || length > longest || layout?.kind !== 'integer') return elements
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const valueAt = (i: number): number => {
    if (layout.bytes === 8) return Number(view.getBigInt64(8 * i, true))
    return layout.bytes === 4 ? view.getInt32(4 * i, true) : view.getUint8(layout.bytes * i)
  }
  const values = Array.from({ length }, (_, i) => valueAt(splat ? 0 : i))
  return { kind: 'denseArray', element: type.element, values }
}
