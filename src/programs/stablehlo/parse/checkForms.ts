import type { Type } from '../module.js'
import { checkOperands, readValue } from './draft.js'
import { type Field, type Form, items, readAttributes, set } from './formParts.js'
import { readNumberOf } from './numbers.js'
import { readTypes } from './readType.js'

/** `%0, dense<...> : type` */
const withConstant: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  reader.cursor.expect(',')
  set(reader, draft, 'value', reader.attribute())
  readAttributes(reader, draft)
}

const fields: Readonly<Record<string, Field>> = {
  max_ulp_difference: { name: 'max_ulp_difference', read: (reader) => readNumberOf(reader, 'ui64') },
  min_ulp_difference: { name: 'min_ulp_difference', read: (reader) => readNumberOf(reader, 'ui64') },
  tolerance: { name: 'tolerance', read: (reader) => readNumberOf(reader, 'f64') },
}

/** `: type` of all operands, or one type each. */
const oneOrEach: Form = (reader, draft) => {
  const { length } = draft.operands
  const types = reader.cursor.accept(':') ? readTypes(reader) : []
  checkOperands(reader, draft, types.length === 1 ? new Array<Type>(length).fill(types[0]!) : types)
}

const pair = items(fields, oneOrEach)

/** The operations by which the tests of the specification check themselves. */
export const checkForms: Readonly<Record<string, Form>> = {
  'check.almost_eq': withConstant,
  'check.eq': withConstant,
  'check.expect_almost_eq': pair,
  'check.expect_almost_eq_const': withConstant,
  'check.expect_close': pair,
  'check.expect_eq': pair,
  'check.expect_eq_const': withConstant,
  'check.expect_serialized_eq': pair,
}
