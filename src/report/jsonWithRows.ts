import { checkArray, checkRecord } from '../base/options/index.js'
/** A record as JSON, with rows as its last field, one a line, each with these fields in this order. */
export function jsonWithRows<Row extends object>(
  head: object,
  rows: readonly Row[],
  fields: readonly (keyof Row & string)[],
): string {
  checkRecord('jsonWithRows', 'head', head)
  checkArray('jsonWithRows', 'rows', rows)
  checkArray('jsonWithRows', 'fields', fields)
  const opening = JSON.stringify(head, null, 2).replace(/\n\}$/, '')
  const lines = rows.map((row) => JSON.stringify(row, [...fields]))
  return `${opening},\n  "rows": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`
}
