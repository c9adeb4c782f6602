import type { ComponentChildren } from 'preact'

/** A cell: a number is set to the right. */
export type Cell = ComponentChildren

/** A table that may be wider than the page, and is then scrolled by itself, with the keyboard too. */
export function DataTable(props: {
  /** What the table is of, for those who do not see it. */
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Rows that stand out. */
  readonly marked?: (row: number) => boolean
}) {
  const { name, head, rows, marked } = props
  const numbers = head.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class="scroll" tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {head.map((title, column) => (
              <th key={title} scope="col" class={numbers[column] ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} class={marked?.(i) ? 'marked' : undefined}>
              {row.map((cell, column) => (
                <td key={column} class={numbers[column] ? 'number' : undefined}>
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

const isNumber = (cell: Cell): boolean =>
  typeof cell === 'number' ||
  (typeof cell === 'string' && /^-?[\d.,]+(e[-+]?\d+)?$|^(NaN|-?Inf(inity)?|—)$/.test(cell))
