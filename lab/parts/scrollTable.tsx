import type { ComponentChildren } from 'preact'

/** A column: what its head shows, whether its cells are numbers, and how the rows are sorted by it. */
export interface ScrollColumn {
  readonly head: ComponentChildren
  readonly number: boolean
  readonly sort?: 'ascending' | 'descending' | undefined
}

/** A row: its number, which stays its own however rows are sorted, and what its cells show. */
export interface ScrollRow {
  readonly id: number
  readonly marked: boolean
  readonly cells: readonly ComponentChildren[]
}

/** A table that may be wider than the page, and is then scrolled by itself, with the keyboard too. */
export function ScrollTable(props: {
  readonly name: string
  readonly columns: readonly ScrollColumn[]
  readonly rows: readonly ScrollRow[]
  /** Whether a long table is scrolled by itself too, its head in sight. */
  readonly tall?: boolean
}) {
  const { name, columns, rows, tall } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class={tall ? 'scroll tall' : 'scroll'} tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, number, sort }, column) => (
              <th key={column} scope="col" class={number ? 'number' : undefined} aria-sort={sort}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, marked, cells }) => (
            <tr key={id} class={marked ? 'marked' : undefined}>
              {cells.map((cell, column) => (
                <td key={column} class={columns[column]?.number ? 'number' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
