import type { Location, Operation, Value } from '../module.js'
import { readDictionary } from './attributes.js'
import { checkOperands, type Draft, define, readOperands } from './draft.js'
import { forms } from './forms.js'
import { unknownLocation } from './locations.js'
import { normalize } from './normalize.js'
import type { Reader } from './reader.js'
import { readType } from './readType.js'
import { readRegion } from './regions.js'

/** Names that stand without their dialect in a module or a function. */
const short: Readonly<Record<string, string>> = {
  module: 'builtin.module',
  return: 'func.return',
  call: 'func.call',
  func: 'func.func',
}

/** Operations whose regions see no values from outside. */
const isolated = new Set(['builtin.module', 'func.func'])

interface ResultName {
  readonly name: string
  readonly count: number
  readonly at: number
}

/** The operation at the cursor, in either spelling; its results are then known by their names. */
export function readOperation(reader: Reader): Operation {
  const { cursor } = reader
  const names = readResultNames(reader)
  const isGeneric = cursor.peek() === 34
  const at = cursor.here()
  const position = reader.position(at)
  const written = isGeneric ? cursor.string() : cursor.expectName('an operation')
  const name = !isGeneric && Object.hasOwn(short, written) ? short[written]! : written
  const resultCount = names.reduce((sum, { count }) => sum + count, 0)
  const draft: Draft = {
    name,
    dialect: name.slice(0, name.indexOf('.')),
    at,
    resultCount,
    operands: [],
    attributes: {},
    regions: [],
    resultTypes: [],
    location: undefined,
  }
  const outer = reader.scope
  if (isolated.has(name)) reader.scope = { values: new Map(), names: [] }
  if (isGeneric) readGeneric(reader, draft)
  else readForm(reader, draft)
  reader.scope = outer
  normalize(draft)
  const location: Location = draft.location ?? reader.location() ?? unknownLocation
  const results = defineResults(reader, draft, names)
  const { operands, attributes, regions } = draft
  return { name, operands, results, attributes, regions, location, position }
}

/** `%0, %1:2 =` at the cursor. */
function readResultNames(reader: Reader): readonly ResultName[] {
  const { cursor } = reader
  if (cursor.peek() !== 37) return []
  const names: ResultName[] = []
  do {
    if (cursor.peek() !== 37) cursor.fail('expected the name of a result')
    const at = cursor.offset++
    const name = cursor.suffix('the name of a result')
    names.push({ name, count: cursor.accept(':') ? cursor.count('the number of results') : 1, at })
  } while (cursor.accept(','))
  cursor.expect('=')
  return names
}

function defineResults(reader: Reader, draft: Draft, names: readonly ResultName[]): readonly Value[] {
  const { resultTypes, resultCount, name, at } = draft
  if (names.length > 0 && resultCount !== resultTypes.length) {
    reader.cursor.fail(`${name} has ${resultTypes.length} results, the text names ${resultCount}`, at)
  }
  if (names.length === 0) return resultTypes.map((type) => ({ name: '', type }))
  const results: Value[] = []
  for (const { name, count, at } of names) {
    for (let i = 0; i < count; i++) {
      const value: Value = { name: count === 1 ? name : `${name}#${i}`, type: resultTypes[results.length]! }
      define(reader, value, at)
      results.push(value)
    }
  }
  return results
}

function readForm(reader: Reader, draft: Draft): void {
  const form = forms(draft.name)
  if (form === undefined) {
    reader.cursor.fail(`no short spelling of this operation is known [${draft.name}]`, draft.at)
  }
  form(reader, draft)
}

/** `"name"(%0) <{properties}> ({regions}) {attributes} : (types) -> types` behind the name. */
function readGeneric(reader: Reader, draft: Draft): void {
  const { cursor } = reader
  if (!/^[\w$-]+\.[\w$.-]+$/.test(draft.name)) {
    cursor.fail('expected the name of an operation with its dialect', draft.at)
  }
  cursor.expect('(')
  readOperands(reader, draft)
  if (cursor.peek() === 91) cursor.fail('branches between blocks are not read')
  if (cursor.accept('<')) {
    readDictionary(reader, draft.attributes)
    cursor.expect('>')
  }
  if (cursor.accept('(')) cursor.list(')', () => draft.regions.push(readRegion(reader)))
  if (cursor.peek() === 123) readDictionary(reader, draft.attributes)
  cursor.expect(':')
  const type = readType(reader)
  if (type.kind !== 'function') throw cursor.error('expected a type such as (tensor<2xf32>) -> tensor<2xf32>')
  checkOperands(reader, draft, type.inputs)
  draft.resultTypes = type.results
}
