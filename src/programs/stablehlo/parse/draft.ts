import type { Attribute, Location, Region, Type, Value } from '../module.js'
import type { Reader } from './reader.js'
import { sameType, typeText } from './readType.js'

/** An operation while it is read. */
export interface Draft {
  readonly name: string
  /** Of the name: `stablehlo`. */
  readonly dialect: string
  /** Where the name stands. */
  readonly at: number
  /** How many results the text names, before the `=`. */
  readonly resultCount: number
  readonly operands: Value[]
  readonly attributes: Record<string, Attribute>
  readonly regions: Region[]
  resultTypes: readonly Type[]
  location: Location | undefined
}

/** The value used at the cursor, `%4#1`. */
export function readValue(reader: Reader): Value {
  const { cursor } = reader
  if (cursor.peek() !== 37) cursor.fail('expected a value, such as %0')
  const start = cursor.offset++
  let name = cursor.suffix('the name of a value')
  if (cursor.text.charCodeAt(cursor.offset) === 35) {
    cursor.offset++
    const index = cursor.count('the number of a result')
    const whole = `${name}#${index}`
    // The first of one result may be numbered.
    name = index === 0 && !reader.scope.values.has(whole) ? name : whole
  }
  const { values } = reader.scope
  return (
    values.get(name) ?? values.get(`${name}#0`) ?? cursor.fail(`no value of this name here [%${name}]`, start)
  )
}

/** Values separated by commas up to the closing parenthesis. */
export function readOperands(reader: Reader, draft: Draft): void {
  reader.cursor.list(')', () => draft.operands.push(readValue(reader)))
}

/** Makes a value known by its name, which is not in use. */
export function define(reader: Reader, value: Value, at: number): void {
  const { values, names } = reader.scope
  if (values.has(value.name)) reader.cursor.fail(`value defined twice [%${value.name}]`, at)
  values.set(value.name, value)
  names.push(value.name)
}

/** Checks the types that the text gives to the operands. */
export function checkOperands(reader: Reader, draft: Draft, types: readonly Type[]): void {
  const { operands } = draft
  if (types.length !== operands.length) {
    reader.cursor.fail(
      `${draft.name} has ${operands.length} operands and ${types.length} types of operands`,
      draft.at,
    )
  }
  for (let i = 0; i < types.length; i++) {
    const { name, type } = operands[i]!
    if (type === types[i] || sameType(type, types[i]!)) continue
    reader.cursor.fail(`%${name} is of type ${typeText(type)}, not ${typeText(types[i]!)}`, draft.at)
  }
}
