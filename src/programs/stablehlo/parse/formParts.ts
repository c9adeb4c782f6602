import type { Attribute, DialectAttribute, Type } from '../module.js'
import { readDictionary, setEntry } from './attributes.js'
import { readIntegers } from './dialectAttributes.js'
import { checkOperands, type Draft, readValue } from './draft.js'
import type { Reader } from './reader.js'
import { readResultTypes, readType, readTypes, typeText } from './readType.js'

/** Reads what stands behind the name of an operation in its short spelling. */
export type Form = (reader: Reader, draft: Draft) => void

/** Reads what stands behind `name =`. */
type FieldReader = (reader: Reader, draft: Draft) => Attribute

export function set(reader: Reader, draft: Draft, name: string, value: Attribute): void {
  setEntry(draft.attributes, name, value, reader.cursor, reader.cursor.offset)
}

/** `{...}`, if it is there. */
export function readAttributes(reader: Reader, draft: Draft): void {
  if (reader.cursor.peek() === 123) readDictionary(reader, draft.attributes)
}

/** An integer attribute of so many bits: `dim = 1`. */
export const integer =
  (type: 'i32' | 'i64'): FieldReader =>
  ({ cursor }) => ({ kind: 'integer', value: cursor.integer('an integer'), type })

export const list: FieldReader = (reader) => readIntegers(reader)

export const text: FieldReader = ({ cursor }) => ({ kind: 'string', value: cursor.string() })

export const flag: FieldReader = ({ cursor }) => {
  if (cursor.acceptWord('true')) return { kind: 'integer', value: 1, type: 'i1' }
  if (cursor.acceptWord('false')) return { kind: 'integer', value: 0, type: 'i1' }
  return cursor.fail("expected 'true' or 'false'")
}

/** A keyword such as `LT`, which in the generic spelling is `#stablehlo<comparison_direction LT>`. */
export const keyword =
  (mnemonic: string): FieldReader =>
  ({ cursor }, { dialect }): DialectAttribute => ({
    kind: 'dialect',
    name: `${dialect}.${mnemonic}`,
    text: cursor.expectName('a keyword'),
  })

/** `[DEFAULT, HIGHEST]` */
export const precisions: FieldReader = (reader, draft) => {
  const values: Attribute[] = []
  reader.cursor.expect('[')
  reader.cursor.list(']', () => values.push(keyword('precision')(reader, draft)))
  return { kind: 'array', values }
}

export interface Field {
  /** In the generic spelling. */
  readonly name: string
  readonly read: FieldReader
}

/** `%0, %1, keyword = value, ...`, attributes in braces, and the types. */
export const items =
  (fields: Readonly<Record<string, Field>>, types: Form): Form =>
  (reader, draft) => {
    readItems(reader, draft, fields)
    readAttributes(reader, draft)
    types(reader, draft)
  }

/** Values and `keyword = value` separated by commas, as many as there are. */
export function readItems(reader: Reader, draft: Draft, fields: Readonly<Record<string, Field>>): void {
  const { cursor } = reader
  do {
    if (cursor.peek() === 37) {
      draft.operands.push(readValue(reader))
      continue
    }
    const start = cursor.offset
    const word = cursor.name()
    if (word === '') return
    if (!cursor.accept('=')) {
      cursor.offset = start
      return
    }
    if (!Object.hasOwn(fields, word)) cursor.fail(`${draft.name} has no '${word}'`, start)
    const { name, read } = fields[word]!
    set(reader, draft, name, read(reader, draft))
  } while (cursor.accept(','))
}

/** Types as `(operands) -> results`, as `operands -> results`, or one for the operands and the result. */
export const types: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect(':')
  const listed = readTypes(reader)
  if (cursor.accept('->')) {
    checkOperands(reader, draft, listed)
    draft.resultTypes = readResultTypes(reader)
    return
  }
  const only = listed[0]!
  if (listed.length > 1) cursor.fail('expected one type, or one of a function', draft.at)
  if (only.kind === 'function') {
    checkOperands(reader, draft, only.inputs)
    draft.resultTypes = only.results
  } else {
    checkOperands(
      reader,
      draft,
      draft.operands.map(() => only),
    )
    draft.resultTypes = [only]
  }
}

/** Types of the operands, each of which is that of a result. */
export const pairwise: Form = (reader, draft) => {
  draft.resultTypes = operandTypes(reader, draft)
}

/** Types of the operands alone; nothing where there are none. */
export const noResults: Form = (reader, draft) => {
  operandTypes(reader, draft)
}

function operandTypes(reader: Reader, draft: Draft): readonly Type[] {
  const listed = reader.cursor.accept(':') ? readTypes(reader) : []
  checkOperands(reader, draft, listed)
  return listed
}

/** One type, that of the result, where the operands have others. */
export const resultType: Form = (reader, draft) => {
  reader.cursor.expect(':')
  draft.resultTypes = [readType(reader)]
}

/** `predicate type, result type`, or the type of a function. */
export const selectTypes: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect(':')
  const listed = readTypes(reader)
  const [first, second] = listed
  if (first?.kind === 'function') {
    checkOperands(reader, draft, first.inputs)
    draft.resultTypes = first.results
  } else if (listed.length === 2) {
    checkOperands(reader, draft, [first!, second!, second!])
    draft.resultTypes = [second!]
  } else {
    cursor.fail('expected the type of the predicate and that of the result', draft.at)
  }
}

/** The type of the complex result, or that of a function. */
export const complexTypes: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect(':')
  const type = readType(reader)
  if (type.kind === 'function') {
    checkOperands(reader, draft, type.inputs)
    draft.resultTypes = type.results
    return
  }
  const part = type.kind === 'tensor' ? /^complex<(.*)>$/.exec(type.element)?.[1] : undefined
  if (type.kind !== 'tensor' || part === undefined) {
    return cursor.fail(`expected a complex type [${typeText(type)}]`, draft.at)
  }
  const real: Type = { ...type, element: part }
  checkOperands(reader, draft, [real, real])
  draft.resultTypes = [type]
}

/** The type of a tuple of the operands. */
export const tupleTypes: Form = (reader, draft) => {
  reader.cursor.expect(':')
  const type = readType(reader)
  if (type.kind !== 'tuple') throw reader.cursor.error('expected the type of a tuple', draft.at)
  checkOperands(reader, draft, type.types)
  draft.resultTypes = [type]
}

/** `dense<...> : type`, the type of the result unless another one follows. */
export const constant: Form = (reader, draft) => {
  readAttributes(reader, draft)
  const at = reader.cursor.offset
  const value = reader.attribute()
  if (value.kind !== 'denseElements') {
    reader.cursor.fail('expected a constant, such as dense<0.0> : tensor<f32>', at)
  }
  set(reader, draft, 'value', value)
  if (reader.cursor.accept(':')) draft.resultTypes = [readType(reader)]
  else if (value.kind === 'denseElements') draft.resultTypes = [value.type]
}
