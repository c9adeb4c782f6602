import type { Attribute, Attributes, FunctionType, Type, Value } from '../module.js'
import { readDictionary } from './attributes.js'
import { type Form, readAttributes, set } from './formParts.js'
import type { Reader } from './reader.js'
import { readType } from './readType.js'
import { readArgument, readRegion } from './regions.js'

/** `@name attributes {...} {...}` */
export const moduleForm: Form = (reader, draft) => {
  const { cursor } = reader
  if (cursor.peek() === 64) set(reader, draft, 'sym_name', { kind: 'string', value: cursor.symbol() })
  if (cursor.acceptWord('attributes')) readAttributes(reader, draft)
  draft.regions.push(readRegion(reader))
}

/** `public @main(%arg0: type {...} loc(...), ...) -> (type {...}, ...) attributes {...} {...}`; a declaration has no body. */
export const func: Form = (reader, draft) => {
  const { cursor } = reader
  const at = cursor.here()
  const visibility = cursor.name()
  if (/^(?:public|private|nested)$/.test(visibility)) {
    set(reader, draft, 'sym_visibility', { kind: 'string', value: visibility })
  } else if (visibility !== '') {
    cursor.fail("expected 'public', 'private' or the name of a function", at)
  }
  set(reader, draft, 'sym_name', { kind: 'string', value: cursor.symbol() })
  const values: Value[] = []
  const inputs: Type[] = []
  const argumentAttributes: Attributes[] = []
  cursor.expect('(')
  cursor.list(')', () => {
    if (cursor.peek() === 37) {
      const { value, attributes } = readFunctionArgument(reader)
      values.push(value)
      inputs.push(value.type)
      argumentAttributes.push(attributes)
    } else {
      inputs.push(readType(reader))
      argumentAttributes.push(cursor.peek() === 123 ? readDictionary(reader) : {})
      reader.location()
    }
  })
  const results: Type[] = []
  const resultAttributes: Attributes[] = []
  if (cursor.accept('->')) readResults(reader, results, resultAttributes)
  const type: FunctionType = { kind: 'function', inputs, results }
  set(reader, draft, 'function_type', { kind: 'type', type })
  setRecords(reader, draft, 'arg_attrs', argumentAttributes)
  setRecords(reader, draft, 'res_attrs', resultAttributes)
  if (cursor.acceptWord('attributes')) readAttributes(reader, draft)
  if (cursor.peek() !== 123) {
    draft.regions.push({ blocks: [] })
    return
  }
  if (values.length !== inputs.length) cursor.fail('arguments of a function with a body need names', draft.at)
  draft.regions.push(readRegion(reader, values))
}

/** `%arg0: type {...} loc(...)` */
function readFunctionArgument(reader: Reader): { readonly value: Value; readonly attributes: Attributes } {
  const { cursor } = reader
  const { name, type, location } = readArgument(reader)
  const attributes = cursor.peek() === 123 ? readDictionary(reader) : {}
  const after = location ?? reader.location()
  return { value: after === undefined ? { name, type } : { name, type, location: after }, attributes }
}

function readResults(reader: Reader, results: Type[], attributes: Attributes[]): void {
  const { cursor } = reader
  if (!cursor.accept('(')) {
    results.push(readType(reader))
    attributes.push({})
    return
  }
  cursor.list(')', () => {
    results.push(readType(reader))
    attributes.push(cursor.peek() === 123 ? readDictionary(reader) : {})
    reader.location()
  })
}

/** The generic spelling has a list of records where one of them is not empty. */
function setRecords(
  reader: Reader,
  draft: Parameters<Form>[1],
  name: string,
  records: readonly Attributes[],
): void {
  if (records.every((record) => Object.keys(record).length === 0)) return
  const values = records.map((entries): Attribute => ({ kind: 'dictionary', entries }))
  set(reader, draft, name, { kind: 'array', values })
}
