import { useSignal } from '@preact/signals'
import { ScrollTable } from './scrollTable.js'

/** A cell of a table that can be sorted: what is said, and where that is not the value, the value. */
export type SortCell = string | number | { readonly said: string; readonly value: number | string }

/** A table whose columns sort it: pressed once from the least, twice from the largest, three times as it was. */
export function SortTable(props: {
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly SortCell[])[]
  readonly marked?: (row: number) => boolean
}) {
  const { name, head, rows, marked } = props
  const by = useSignal<{ readonly column: number; readonly down: boolean } | undefined>(undefined)
  const sorted = by.value
  const order = rows.map((_, i) => i)
  if (sorted) {
    const sign = sorted.down ? -1 : 1
    order.sort((a, b) => sign * compare(rows[a]?.[sorted.column], rows[b]?.[sorted.column]) || a - b)
  }
  const press = (column: number): void => {
    if (sorted?.column !== column) by.value = { column, down: false }
    else by.value = sorted.down ? undefined : { column, down: true }
  }
  const columns = head.map((title, column) => {
    const sort = sorted?.column === column ? (sorted.down ? 'descending' : 'ascending') : undefined
    return {
      number: rows.length > 0 && rows.every((row) => typeof valueOf(row[column]) === 'number'),
      sort,
      head: (
        <button type="button" class="sort" onClick={() => press(column)}>
          {title}
          <span aria-hidden="true">{sort === undefined ? '' : sort === 'ascending' ? ' ↑' : ' ↓'}</span>
        </button>
      ),
    } as const
  })
  return (
    <ScrollTable
      name={name}
      columns={columns}
      rows={order.map((id) => ({
        id,
        marked: marked?.(id) ?? false,
        cells: head.map((_, column) => saidOf(rows[id]?.[column])),
      }))}
    />
  )
}

const valueOf = (cell: SortCell | undefined): string | number =>
  typeof cell === 'object' ? cell.value : (cell ?? '')

const saidOf = (cell: SortCell | undefined): string =>
  String(typeof cell === 'object' ? cell.said : (cell ?? ''))

/** Numbers before texts, NaN behind the numbers. */
function compare(a: SortCell | undefined, b: SortCell | undefined): number {
  const [x, y] = [valueOf(a), valueOf(b)]
  if (typeof x === 'number' && typeof y === 'number') {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y))
    return x < y ? -1 : x > y ? 1 : 0
  }
  if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1
  return String(x).localeCompare(String(y), 'en')
}
