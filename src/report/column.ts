import { readable } from '../text/index.js'

/** What a table's cell may hold. */
export type Cell = string | number | boolean | null | undefined

/** One column of a table: the field it shows, and how. */
export interface Column {
  /** The field of each row. */
  readonly key: string
  /** The heading. Default: the key. */
  readonly header?: string
  /** Default: right where the column's values are numbers (or missing), left elsewhere. */
  readonly align?: 'left' | 'right'
  /** Long text: HTML tables break its lines. Default false. */
  readonly prose?: boolean
  /** The field whose value is an anchor of the page, or an address: HTML tables link the cell there. */
  readonly link?: string
  /** Significant digits of numbers. Default 3. */
  readonly digits?: number
  /** The text of a value. Default: `readable` for numbers, yes or no, a dash for what is missing. */
  readonly show?: (value: Cell) => string
}

/** One row of a table. */
export type Row = Readonly<Record<string, Cell>>

/** A cell's text under its column's rules. */
export function cellText(value: Cell, column: Column): string {
  if (column.show) return column.show(value)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return readable(value, column.digits ?? 3)
}

/** A column's side: given, or right when no value in it is text. */
export function cellAlign(column: Column, rows: readonly Row[]): 'left' | 'right' {
  return column.align ?? (rows.some((row) => typeof row[column.key] === 'string') ? 'left' : 'right')
}
