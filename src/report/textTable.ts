import Table from 'cli-table3'
import { checkArray, checkOptions, type OptionTable } from '../options/index.js'
import { type Column, cellAlign, cellText, type Row } from './column.js'
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

/** How a table is laid out. */
export interface TableOptions {
  /** A rule is drawn wherever this field changes. */
  readonly group?: string | undefined
  /** No line is longer than that many columns. Default: as long as the cells ask for. */
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
export function textTable(
  columns: readonly Column[],
  rows: readonly Row[],
  options: TableOptions = {},
): string {
  checkArray('textTable', 'columns', columns)
  checkArray('textTable', 'rows', rows)
  checkOptions('textTable', options, names)
  const { group } = options
  const table = new Table({
    chars: frame,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1, compact: true },
    head: columns.map((column) => column.header ?? column.key),
    colAligns: columns.map((column) => cellAlign(column, rows)),
  })
  for (const row of rows) table.push(columns.map((column) => cellText(row[column.key], column)))
  const [heading = '', rule = '', ...body] = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
  const lines = [heading, rule]
  body.forEach((line, i) => {
    if (group && i > 0 && rows[i]?.[group] !== rows[i - 1]?.[group]) lines.push(rule)
    lines.push(line)
  })
  if (options.width === undefined || lines.every(({ length }) => length <= options.width!)) {
    return lines.join('\n')
  }
  return fittedTable(
    {
      heads: columns.map((column) => column.header ?? column.key),
      aligns: columns.map((column) => cellAlign(column, rows)),
      cells: rows.map((row) => columns.map((column) => cellText(row[column.key], column))),
      ruled: (i) => group !== undefined && i > 0 && rows[i]?.[group] !== rows[i - 1]?.[group],
    },
    options.width,
  )
}
