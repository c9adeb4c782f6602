import type { ComponentChildren } from 'preact'
import { ScrollTable } from './scrollTable.js'

/** A cell: a number is set to the right. */
export type Cell = ComponentChildren

/** A table of what is given, column by column of numbers or not. */
export function DataTable(props: {
  /** What the table is of, for those who do not see it. */
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Rows that stand out. */
  readonly marked?: (row: number) => boolean
}) {
  const { name, head, rows, marked } = props
  return (
    <ScrollTable
      name={name}
      columns={head.map((title, column) => ({
        head: title,
        number: rows.length > 0 && rows.every((row) => isNumber(row[column])),
      }))}
      rows={rows.map((cells, id) => ({ id, cells, marked: marked?.(id) ?? false }))}
    />
  )
}

const isNumber = (cell: Cell): boolean =>
  typeof cell === 'number' ||
  (typeof cell === 'string' && /^-?[\d.,]+(e[-+]?\d+)?$|^(NaN|-?Inf(inity)?|—)$/.test(cell))
