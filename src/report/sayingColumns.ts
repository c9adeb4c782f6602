import { checkArray } from '../options/index.js'
import type { Column, Row } from './column.js'

/** The columns in which a row says something: a value that is neither missing nor empty. */
export function sayingColumns(columns: readonly Column[], rows: readonly Row[]): Column[] {
  checkArray('sayingColumns', 'columns', columns)
  checkArray('sayingColumns', 'rows', rows)
  return columns.filter(({ key }) =>
    rows.some((row) => row[key] !== undefined && row[key] !== null && row[key] !== ''),
  )
}
