import type { Attribute, Value } from '../module.js'
import { readDialectAttribute } from './dialectAttributes.js'
import { readOperands, readValue } from './draft.js'
import { type Field, type Form, integer, items, noResults, readAttributes, set, types } from './formParts.js'
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
  set(reader, draft, 'manual_axes', readAxes(reader))
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
  cursor.peek()
  set(reader, draft, name, { kind: 'dialect', name: 'sdy.sharding_per_value', text: bracketed(reader) })
}

/** What stands in brackets at the cursor, with them. */
function bracketed(reader: Reader): string {
  const { cursor } = reader
  const start = cursor.offset
  cursor.expect('[')
  cursor.list(']', () => cursor.balanced())
  return cursor.text.slice(start, cursor.offset)
}

/** `{"a", "b"}` */
function readAxes(reader: Reader): Attribute {
  const { cursor } = reader
  const start = cursor.offset
  cursor.expect('{')
  cursor.list('}', () => cursor.string())
  return { kind: 'dialect', name: 'sdy.manual_axes', text: cursor.text.slice(start, cursor.offset) }
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

export const shardingForms: Readonly<Record<string, Form>> = {
  'sdy.manual_computation': manualComputation,
  'sdy.mesh': mesh,
  'sdy.named_computation': namedComputation,
  'sdy.reshard': constraint,
  'sdy.return': items({}, noResults),
  'sdy.sharding_constraint': constraint,
  'sdy.sharding_group': shardingGroup,
}
