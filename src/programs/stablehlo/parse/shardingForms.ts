import type { Attribute, Value } from '../module.js'
import { readDialectAttribute } from './dialectAttributes.js'
import { readOperands, readValue } from './draft.js'
import {
  constant,
  type Field,
  type Form,
  integer,
  items,
  noResults,
  readAttributes,
  set,
  types,
} from './formParts.js'
import type { Reader } from './reader.js'
import { readArgument, readRegion } from './regions.js'

/** An attribute of the dialect that stands without its name: `<@mesh, [{"data"}, {}]>`. */
const readSharding = (reader: Reader): Attribute => readDialectAttribute(reader, 'sdy.sharding')

/** `@name = <["data"=4]>` */
const mesh: Form = (reader, draft) => {
  const { cursor } = reader
  set(reader, draft, 'sym_name', { kind: 'string', value: cursor.symbol() })
  cursor.expect('=')
  set(reader, draft, 'mesh', readDialectAttribute(reader, 'sdy.mesh'))
  readAttributes(reader, draft)
}

/** `%0 <@mesh, [...]> : type` */
const constraint: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  set(reader, draft, 'sharding', readSharding(reader))
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `(%0) in_shardings=[<...>] out_shardings=[<...>] manual_axes={...} (%arg: type) {...} : types` */
const manualComputation: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect('(')
  readOperands(reader, draft)
  readPerValue(reader, draft, 'in_shardings')
  readPerValue(reader, draft, 'out_shardings')
  cursor.expectWord('manual_axes')
  cursor.expect('=')
  set(reader, draft, 'manual_axes', readAxes(reader, 'manual_axes'))
  readBody(reader, draft)
}

/** `<"name">(%0) in_shardings=[...] out_shardings=[...] (%arg: type) {...} : types` */
const namedComputation: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect('<')
  set(reader, draft, 'name', { kind: 'string', value: cursor.string() })
  cursor.expect('>')
  cursor.expect('(')
  readOperands(reader, draft)
  readPerValue(reader, draft, 'in_shardings')
  readPerValue(reader, draft, 'out_shardings')
  readBody(reader, draft)
}

type Draft = Parameters<Form>[1]

/** `name=[<...>, <...>]`, if it is there. */
function readPerValue(reader: Reader, draft: Draft, name: string): void {
  const { cursor } = reader
  if (!cursor.acceptWord(name)) return
  cursor.expect('=')
  set(reader, draft, name, { kind: 'dialect', name: 'sdy.sharding_per_value', text: cursor.bracketed() })
}

/** An attribute that is written `{"a", "b"}` or `[{"a"}, {}]` here, and `#sdy<name{"a", "b"}>` in the generic spelling. */
function readAxes({ cursor }: Reader, name: string): Attribute {
  return { kind: 'dialect', name: 'sdy', text: `${name}${cursor.bracketed()}` }
}

function readBody(reader: Reader, draft: Draft): void {
  const { cursor } = reader
  const values: Value[] = []
  cursor.expect('(')
  cursor.list(')', () => values.push(readArgument(reader)))
  draft.regions.push(readRegion(reader, values))
  readAttributes(reader, draft)
  types(reader, draft)
}

const group: Readonly<Record<string, Field>> = { group_id: { name: 'group_id', read: integer('i64') } }

/** `%0 group_id=1 : type` */
const shardingGroup: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  items(group, noResults)(reader, draft)
}

/** `[{"a"}, {}] %0 out_sharding=<@mesh, [...]> : type`; the axes go to an attribute. */
const collective =
  (attribute: string, type: string): Form =>
  (reader, draft) => {
    if (attribute !== '') set(reader, draft, attribute, readAxes(reader, type))
    draft.operands.push(readValue(reader))
    items(shardings, types)(reader, draft)
  }

const shardings: Readonly<Record<string, Field>> = {
  out_sharding: { name: 'out_sharding', read: readSharding },
  sharding: { name: 'sharding', read: readSharding },
}

/** The numbers that stand for the directions in the generic spelling. */
const directions = ['NONE', 'FORWARD', 'BACKWARD', 'BOTH']

/** `%0 allowed_direction=FORWARD : type` */
const barrier: Form = (reader, draft) => {
  const { cursor } = reader
  draft.operands.push(readValue(reader))
  cursor.expectWord('allowed_direction')
  cursor.expect('=')
  const at = cursor.here()
  const value = directions.indexOf(cursor.name())
  if (value < 0) cursor.fail(`expected one of ${directions.join(', ')}`, at)
  set(reader, draft, 'allowed_direction', { kind: 'integer', value, type: 'i32' })
  readAttributes(reader, draft)
  types(reader, draft)
}

export const shardingForms: Readonly<Record<string, Form>> = {
  'sdy.all_gather': collective('gathering_axes', 'list_of_axis_ref_lists'),
  'sdy.all_reduce': collective('reduction_axes', 'axis_ref_list'),
  'sdy.all_slice': collective('slicing_axes', 'list_of_axis_ref_lists'),
  'sdy.all_to_all': collective('params', 'all_to_all_param_list'),
  'sdy.collective_permute': collective('', ''),
  'sdy.constant': constant,
  'sdy.data_flow_edge': collective('', ''),
  'sdy.manual_computation': manualComputation,
  'sdy.mesh': mesh,
  'sdy.named_computation': namedComputation,
  'sdy.propagation_barrier': barrier,
  'sdy.reduce_scatter': collective('reduce_scatter_axes', 'list_of_axis_ref_lists'),
  'sdy.reshard': constraint,
  'sdy.return': items({}, noResults),
  'sdy.sharding_constraint': constraint,
  'sdy.sharding_group': shardingGroup,
}
