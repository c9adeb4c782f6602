import { useSignal } from '@preact/signals'

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
  const numbers = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof valueOf(row[column]) === 'number'),
  )
  const press = (column: number): void => {
    if (sorted?.column !== column) by.value = { column, down: false }
    else by.value = sorted.down ? undefined : { column, down: true }
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class="scroll" tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {head.map((title, column) => (
              <th
                key={column}
                scope="col"
                class={numbers[column] ? 'number' : undefined}
                aria-sort={sorted?.column === column ? (sorted.down ? 'descending' : 'ascending') : undefined}
              >
                <button type="button" class="sort" onClick={() => press(column)}>
                  {title}
                  <span aria-hidden="true">
                    {sorted?.column === column ? (sorted.down ? ' ↓' : ' ↑') : ''}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.map((i) => (
            <tr key={i} class={marked?.(i) ? 'marked' : undefined}>
              {head.map((_, column) => (
                <td key={column} class={numbers[column] ? 'number' : undefined}>
                  {saidOf(rows[i]?.[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
