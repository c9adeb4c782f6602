import { checkArray } from '../base/options/index.js'
import { type Column, cellOf } from './column.js'

/** The columns in which a row says something: a value that is neither missing nor empty. */
export function sayingColumns<R extends object>(
  columns: readonly Column<R>[],
  rows: readonly R[],
): Column<R>[] {
  checkArray('sayingColumns', 'columns', columns)
  checkArray('sayingColumns', 'rows', rows)
  return columns.filter((column) => rows.some((row) => (cellOf(row, column) ?? '') !== ''))
}
