import { checkOperands, readValue } from './draft.js'
import { type Field, type Form, integer, items, readAttributes, set, text, types } from './formParts.js'
import { readNumberOf } from './numbers.js'
import { readTypes } from './readType.js'

/** `%0, dense<...> : type` */
const withConstant: Form = (reader, draft) => {
  draft.operands.push(readValue(reader))
  reader.cursor.expect(',')
  set(reader, draft, 'value', reader.attribute())
  readAttributes(reader, draft)
}

/** The type of every operand, or one for all of them; there are no results. */
const operandTypes: Form = (reader, draft) => {
  reader.cursor.expect(':')
  const listed = readTypes(reader)
  checkOperands(reader, draft, listed.length === 1 ? draft.operands.map(() => listed[0]!) : listed)
}

const distances: Readonly<Record<string, Field>> = {
  // 18446744073709551615 is one: the distance of Inf.
  max_ulp_difference: { name: 'max_ulp_difference', read: (reader) => readNumberOf(reader, 'ui64') },
  min_ulp_difference: { name: 'min_ulp_difference', read: (reader) => readNumberOf(reader, 'ui64') },
}

const tolerance: Readonly<Record<string, Field>> = {
  tolerance: { name: 'tolerance', read: (reader) => readNumberOf(reader, 'f64') },
}

const probe: Readonly<Record<string, Field>> = {
  iter: { name: 'iteration', read: integer('i32') },
  probe_id: { name: 'probe_id', read: text },
}

/** The operations by which the tests of the specification check themselves. */
export const checkForms: Readonly<Record<string, Form>> = {
  'check.almost_eq': withConstant,
  'check.eq': withConstant,
  'check.expect_almost_eq': items(tolerance, operandTypes),
  'check.expect_almost_eq_const': withConstant,
  'check.expect_close': items(distances, operandTypes),
  'check.expect_eq': items({}, operandTypes),
  'check.expect_eq_const': withConstant,
  'check.expect_serialized_eq': items(probe, operandTypes),
  'interpreter.print': items({}, operandTypes),
  'interpreter.probe': items(probe, types),
}
