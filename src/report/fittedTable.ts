import { wrapped } from '../base/text/index.js'

/** A table that is too wide for its screen: headings and cells as text, in columns that are aligned to a side. */
export interface FittedTable {
  readonly heads: readonly string[]
  readonly aligns: readonly ('left' | 'right')[]
  readonly cells: readonly (readonly string[])[]
  /** Whether a rule is drawn above a row. */
  readonly ruled: (row: number) => boolean
}

const gap = 2
/** What a column of words may be narrowed to. */
const narrowest = 16

/**
 * The lines of a table that are no longer than the screen is wide: columns of words are narrowed and their cells broken over
 * several lines; where that is not enough the columns come in several tables below each other, each with the first column.
 */
export function fittedTable(table: FittedTable, width: number): string {
  const natural = table.heads.map((head, i) =>
    Math.max(head.length, ...table.cells.map((row) => row[i]!.length)),
  )
  const blocks: number[][] = []
  for (const column of natural.keys()) {
    const last = blocks.at(-1)
    const least = (i: number): number => Math.min(natural[i]!, wordy(table, i) ? narrowest : natural[i]!)
    if (last && total([...last, column].map(least)) <= width) last.push(column)
    else blocks.push(column === 0 || blocks.length === 0 ? [column] : [0, column])
  }
  return blocks.map((columns) => block(table, columns, narrowed(table, columns, natural, width))).join('\n\n')
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1)

function wordy({ cells, aligns }: FittedTable, column: number): boolean {
  return aligns[column] === 'left' && cells.some((row) => row[column]!.includes(' '))
}

/** Widths that fit: what is missing is taken from the widest column of words, letter by letter. */
function narrowed(
  table: FittedTable,
  columns: readonly number[],
  natural: readonly number[],
  width: number,
): number[] {
  const widths = columns.map((column) => natural[column]!)
  for (;;) {
    if (total(widths) <= width) return widths
    let widest = -1
    for (const [i, column] of columns.entries()) {
      if (wordy(table, column) && widths[i]! > narrowest && (widest < 0 || widths[i]! > widths[widest]!)) {
        widest = i
      }
    }
    if (widest < 0) return widths
    widths[widest]!--
  }
}

function block(
  { heads, aligns, cells, ruled }: FittedTable,
  columns: readonly number[],
  widths: readonly number[],
): string {
  const line = (parts: readonly string[]): string =>
    columns
      .map((column, i) =>
        aligns[column] === 'right' ? parts[i]!.padStart(widths[i]!) : parts[i]!.padEnd(widths[i]!),
      )
      .join(' '.repeat(gap))
      .trimEnd()
  const row = (texts: readonly string[]): string[] => {
    const parts = columns.map((column, i) => wrapped(texts[column]!, widths[i]!).split('\n'))
    const height = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: height }, (_, k) => line(parts.map((part) => part[k] ?? '')))
  }
  const rule = '─'.repeat(total(widths))
  const body = cells.flatMap((texts, i) => [...(ruled(i) ? [rule] : []), ...row(texts)])
  return [...row(heads), rule, ...body].join('\n')
}
