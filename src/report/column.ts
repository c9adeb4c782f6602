import { readable } from '../base/text/index.js'

/** What a table's cell may hold. */
export type Cell = string | number | boolean | null | undefined

/** One column of a table: the field it shows, and how. */
export interface Column<R extends object = object> {
  /** The field of each row. */
  readonly key: string
  /** The value of a row's cell. Default: the field. */
  of?(row: R): Cell
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

/** A row's value in a column. */
export function cellOf<R extends object>(row: R, column: Pick<Column<R>, 'key' | 'of'>): Cell {
  return column.of ? column.of(row) : (row as Row)[column.key]
}

/** A cell's text under its column's rules. */
export function cellText(value: Cell, column: Column): string {
  if (column.show) return column.show(value)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return readable(value, column.digits ?? 3)
}

/** A column's side: given, or right when no value in it is text. */
export function cellAlign<R extends object>(column: Column<R>, rows: readonly R[]): 'left' | 'right' {
  return column.align ?? (rows.some((row) => typeof cellOf(row, column) === 'string') ? 'left' : 'right')
}

/** R, which is inferred from the other arguments: NoInfer for readers of TypeScript before 5.4. */
export type NotInferred<R> = [R][R extends unknown ? 0 : never]
