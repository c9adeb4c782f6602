import type { ChartSeries, SeriesColor } from '../../parts/drawChart.js'
import type { ViewCell, ViewTable } from './resultsMessages.js'

/** The rows that have all of the words, in any of their cells; in upper or lower case. */
export function rowsWith({ head, rows }: ViewTable, words: string): number[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return rows.flatMap((row, i) => {
    const text = head.map((_, column) => String(row[column] ?? '').toLowerCase()).join('\n')
    return wanted.every((word) => text.includes(word)) ? [i] : []
  })
}

/** The columns that hold numbers, and those that hold few different values. */
export function columnsOf({ head, rows }: ViewTable): {
  readonly numbers: string[]
  readonly groups: string[]
} {
  const cells = (column: number): ViewCell[] =>
    rows.map((row) => row[column] ?? null).filter((cell) => cell !== null)
  return {
    numbers: head.filter((_, i) => {
      const there = cells(i)
      return there.length > 0 && there.every((cell) => typeof cell === 'number')
    }),
    groups: head.filter((_, i) => {
      const different = new Set(cells(i)).size
      return different > 1 && different <= 24
    }),
  }
}

const others: readonly SeriesColor[] = ['green', 'orange', 'purple', 'teal', 'pink', 'grey']

/** Lines of one column over another, one for each value of a third; naive is red and stable blue, as everywhere. */
export function linesOf(
  { head, rows }: ViewTable,
  chosen: readonly number[],
  { x, y, by }: { readonly x: string; readonly y: string; readonly by: string },
): ChartSeries[] {
  const [atX, atY, atBy, atRole] = [x, y, by, 'role'].map((name) => head.indexOf(name))
  const lines = new Map<string, { points: (readonly [number, number])[]; role: string }>()
  for (const i of chosen) {
    const [px, py] = [rows[i]![atX!], rows[i]![atY!]]
    if (typeof px !== 'number' || typeof py !== 'number') continue
    const name = atBy === -1 ? y : String(rows[i]![atBy!] ?? 'none')
    const line = lines.get(name) ?? { points: [], role: String(rows[i]![atRole!] ?? '') }
    line.points.push([px, py])
    lines.set(name, line)
  }
  let next = 0
  return [...lines].map(([name, { points, role }]) => {
    const sorted = points.sort((a, b) => a[0] - b[0])
    const naive = role === 'naive' || name.startsWith('naive')
    const stable = role === 'stable' || name.startsWith('stable')
    return {
      name,
      color: naive ? 'red' : stable || lines.size === 1 ? 'blue' : others[next++ % others.length]!,
      dashed: stable,
      x: sorted.map(([at]) => at),
      y: sorted.map(([, value]) => value),
    }
  })
}
