import { readValue } from './draft.js'
import { type Field, type Form, integer, items, noResults, readAttributes, set } from './formParts.js'

/** `%0, dense<...> : type` */
const withConstant: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  reader.cursor.expect(',')
  set(reader, draft, 'value', reader.attribute())
  readAttributes(reader, draft)
}

const distances: Readonly<Record<string, Field>> = {
  max_ulp_difference: { name: 'max_ulp_difference', read: integer('i64') },
  min_ulp_difference: { name: 'min_ulp_difference', read: integer('i64') },
}

/** The operations by which the tests of the specification check themselves. */
export const checkForms: Readonly<Record<string, Form>> = {
  'check.almost_eq': withConstant,
  'check.eq': withConstant,
  'check.expect_almost_eq': items({}, noResults),
  'check.expect_almost_eq_const': withConstant,
  'check.expect_close': items(distances, noResults),
  'check.expect_eq': items({}, noResults),
  'check.expect_eq_const': withConstant,
  'check.expect_serialized_eq': items({}, noResults),
}
