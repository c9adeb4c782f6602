import Table from 'cli-table3'
import { checkArray, checkOptions, type OptionTable } from '../base/options/index.js'
import { type Cell, type Column, cellAlign, cellOf, cellText, type NotInferred } from './column.js'
import { fittedTable } from './fittedTable.js'

const blank = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' }
const frame = {
  ...blank,
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '─',
  'mid-mid': '─',
  right: '',
  'right-mid': '',
  middle: ' ',
}

/** The layout of a table. */
export interface TableOptions {
  /** A rule is drawn wherever this field changes. */
  readonly group?: string | undefined
  /** The maximum line length in columns. Default: the width of the cells. */
  readonly width?: number | undefined
}

const names: OptionTable<TableOptions> = { group: 'optional', width: 'optional' }

/**
 * A table for a terminal: one line per row, a rule under the headings, no colour, no trailing blanks.
 * With `group`, a rule is drawn wherever that field changes. With `width`, no line is longer than that many columns: cells
 * of words are broken, and a table that is too wide comes in several below each other, each with the first column.
 *
 * @example textTable([{ key: 'n' }], [{ n: 1024 }]).split('\n')[2].trim() // '1,024'
 */
export function textTable<R extends object>(
  columns: readonly Column<NotInferred<R>>[],
  rows: readonly R[],
  options: TableOptions = {},
): string {
  checkArray('textTable', 'columns', columns)
  checkArray('textTable', 'rows', rows)
  checkOptions('textTable', options, names)
  const { group } = options
  const groupOf = (i: number): Cell => cellOf(rows[i]!, { key: group! })
  const heads = columns.map((column) => column.header ?? column.key)
  const aligns = columns.map((column) => cellAlign(column, rows))
  const cells = rows.map((row) => columns.map((column) => cellText(cellOf(row, column), column)))
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 1, compact: true }
  const table = new Table({ chars: frame, style, head: heads, colAligns: aligns })
  table.push(...cells)
  const [heading = '', rule = '', ...body] = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
  const ruled = (i: number): boolean =>
    group !== undefined && i > 0 && i < rows.length && groupOf(i) !== groupOf(i - 1)
  const lines = [heading, rule]
  body.forEach((line, i) => {
    if (ruled(i)) lines.push(rule)
    lines.push(line)
  })
  if (options.width === undefined || lines.every(({ length }) => length <= options.width!)) {
    return lines.join('\n')
  }
  return fittedTable({ heads, aligns, cells, ruled }, options.width)
}
