import type { Attribute } from '../module.js'
import { checkForms } from './checkForms.js'
import { convolution } from './convolutionForm.js'
import { readDialectAttribute, readIntegers, struct } from './dialectAttributes.js'
import { readOperands, readValue } from './draft.js'
import {
  complexTypes,
  constant,
  type Field,
  type Form,
  flag,
  integer,
  items,
  keyword,
  list,
  noResults,
  pairwise,
  precisions,
  readAttributes,
  readItems,
  resultType,
  selectTypes,
  set,
  text,
  tupleTypes,
  types,
} from './formParts.js'
import { reduce, scan, whileLoop } from './formsWithRegions.js'
import { func, moduleForm } from './functionForms.js'
import { shardingForms } from './shardingForms.js'

const field = (name: string, read: Field['read']): Field => ({ name, read })
const dimension = (name: string): Readonly<Record<string, Field>> => ({ dim: field(name, integer('i64')) })
const dimensions = (name: string): Readonly<Record<string, Field>> => ({ dims: field(name, list) })

/** Operands and attributes, then types: what most operations have. */
const plain: Form = items({}, types)

const compare: Form = (reader, draft) => {
  set(reader, draft, 'comparison_direction', keyword('comparison_direction')(reader, draft))
  reader.cursor.expect(',')
  draft.operands.push(readValue(reader))
  reader.cursor.expect(',')
  draft.operands.push(readValue(reader))
  if (reader.cursor.accept(',')) set(reader, draft, 'compare_type', keyword('comparison_type')(reader, draft))
  readAttributes(reader, draft)
  types(reader, draft)
}

const dotGeneral: Form = (reader, draft) => {
  const pairs: Record<string, Attribute> = {}
  const pair = (name: string): Field['read'] => {
    return (reader) => {
      pairs[`lhs_${name}`] = readIntegers(reader)
      reader.cursor.expectWord('x')
      const right = readIntegers(reader)
      pairs[`rhs_${name}`] = right
      return right
    }
  }
  readItems(reader, draft, {
    batching_dims: field('batching_dims', pair('batching_dimensions')),
    contracting_dims: field('contracting_dims', pair('contracting_dimensions')),
    precision: field('precision_config', precisions),
    algorithm: field('algorithm', (reader, { dialect }) =>
      readDialectAttribute(reader, `${dialect}.dot_algorithm`),
    ),
  })
  delete draft.attributes['batching_dims']
  delete draft.attributes['contracting_dims']
  set(reader, draft, 'dot_dimension_numbers', struct(`${draft.dialect}.dot`, pairs))
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `%0 [0:2, 0:16:2]`: start, limit and stride of every dimension. */
const slice: Form = (reader, draft) => {
  const { cursor } = reader
  draft.operands.push(readValue(reader))
  const starts: number[] = []
  const limits: number[] = []
  const strides: number[] = []
  cursor.expect('[')
  cursor.list(']', () => {
    starts.push(cursor.integer('where a slice begins'))
    cursor.expect(':')
    limits.push(cursor.integer('where a slice ends'))
    strides.push(cursor.accept(':') ? cursor.integer('the stride of a slice') : 1)
  })
  const array = (values: number[]): Attribute => ({ kind: 'denseArray', element: 'i64', values })
  set(reader, draft, 'start_indices', array(starts))
  set(reader, draft, 'limit_indices', array(limits))
  set(reader, draft, 'strides', array(strides))
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `%0[1]` */
const getTupleElement: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  reader.cursor.expect('[')
  set(reader, draft, 'index', integer('i32')(reader, draft))
  reader.cursor.expect(']')
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `%0, format = e5m10` */
const reducePrecision: Form = (reader, draft) => {
  const { cursor } = reader
  draft.operands.push(readValue(reader))
  cursor.expect(',')
  cursor.expectWord('format')
  cursor.expect('=')
  const at = cursor.here()
  const [, exponent, mantissa] =
    /^e(\d{1,9})m(\d{1,9})$/.exec(cursor.name()) ?? cursor.fail('expected a format, such as e5m10', at)
  set(reader, draft, 'exponent_bits', { kind: 'integer', value: Number(exponent), type: 'i32' })
  set(reader, draft, 'mantissa_bits', { kind: 'integer', value: Number(mantissa), type: 'i32' })
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `@name(%0, %1)`, the name going to an attribute as a string or as a symbol. */
const called =
  (name: string, kind: 'string' | 'symbol'): Form =>
  (reader, draft) => {
    const symbol = reader.cursor.symbol()
    set(reader, draft, name, kind === 'string' ? { kind, value: symbol } : { kind, name: symbol })
    reader.cursor.expect('(')
    readOperands(reader, draft)
    readAttributes(reader, draft)
    types(reader, draft)
  }

/** `"name" %0, %1` */
const composite: Form = (reader, draft) => {
  set(reader, draft, 'name', text(reader, draft))
  plain(reader, draft)
}

/** `%0, %1 : types`, or `()` where there are none. */
const barrier: Form = (reader, draft) => {
  if (reader.cursor.accept('(')) reader.cursor.expect(')')
  items({}, pairwise)(reader, draft)
}

/** `(%0, k = 8)` */
const topK: Form = (reader, draft) => {
  const { cursor } = reader
  const inParentheses = cursor.accept('(')
  readItems(reader, draft, { k: field('k', integer('i64')) })
  if (inParentheses) cursor.expect(')')
  readAttributes(reader, draft)
  types(reader, draft)
}

const common: Readonly<Record<string, Form>> = {
  after_all: items({}, types),
  broadcast: items({ sizes: field('broadcast_sizes', list) }, types),
  broadcast_in_dim: items(dimensions('broadcast_dimensions'), types),
  cholesky: items({ lower: field('lower', flag) }, types),
  compare,
  complex: items({}, complexTypes),
  composite,
  concatenate: items(dimension('dimension'), types),
  constant,
  convolution,
  create_token: items({}, resultType),
  custom_call: called('call_target_name', 'string'),
  dot: items({ precision: field('precision_config', precisions) }, types),
  dot_general: dotGeneral,
  dynamic_broadcast_in_dim: items(dimensions('broadcast_dimensions'), types),
  dynamic_conv: convolution,
  dynamic_iota: items(dimension('iota_dimension'), types),
  dynamic_slice: items({ sizes: field('slice_sizes', list) }, types),
  einsum: items({ config: field('einsum_config', text) }, types),
  fft: items({ type: field('fft_type', keyword('fft_type')), length: field('fft_length', list) }, types),
  get_dimension_size: items(dimension('dimension'), types),
  get_tuple_element: getTupleElement,
  iota: items(dimension('iota_dimension'), resultType),
  optimization_barrier: barrier,
  pad: items(
    {
      low: field('edge_padding_low', list),
      high: field('edge_padding_high', list),
      interior: field('interior_padding', list),
    },
    types,
  ),
  partition_id: items({}, resultType),
  reduce,
  reduce_precision: reducePrecision,
  replica_id: items({}, resultType),
  return: items({}, noResults),
  reverse: items(dimensions('dimensions'), types),
  rng: items({ distribution: field('rng_distribution', keyword('rng_distribution')) }, types),
  rng_bit_generator: items({ algorithm: field('rng_algorithm', keyword('rng_algorithm')) }, types),
  select: items({}, selectTypes),
  set_dimension_size: items(dimension('dimension'), types),
  slice,
  top_k: topK,
  topk: topK,
  scan,
  torch_index_select: items(
    { dim: field('dim', integer('i64')), batch_dims: field('batch_dims', integer('i64')) },
    types,
  ),
  transpose: items(dimensions('permutation'), types),
  tuple: items({}, tupleTypes),
  unary_einsum: items({ config: field('einsum_config', text) }, types),
  while: whileLoop,
}

/** Dialects whose operations have the same short spelling; `mhlo` and `chlo` are older and wider than the specification. */
const dialects = ['stablehlo', 'chlo', 'mhlo']

const table: ReadonlyMap<string, Form> = new Map([
  ...dialects.flatMap((dialect) =>
    Object.entries(common).map(([operation, form]): [string, Form] => [`${dialect}.${operation}`, form]),
  ),
  ...Object.entries(checkForms),
  ...Object.entries(shardingForms),
  ['builtin.module', moduleForm],
  ['func.call', called('callee', 'symbol')],
  ['func.func', func],
  ['func.return', items({}, noResults)],
])

/** The short spelling of an operation; undefined of a dialect that StableHLO programs do not have. */
export function forms(name: string): Form | undefined {
  const form = table.get(name)
  if (form !== undefined) return form
  return dialects.includes(name.slice(0, name.indexOf('.'))) ? plain : undefined
}
