import { checkArray } from '../options/index.js'
import type { Cell, Row } from './column.js'

/**
 * Comma-separated values after RFC 4180: a heading line, LF line ends, quotes only where a field needs them.
 * Numbers are written in full (the shortest digits that read back as the same float64); missing ones are empty.
 *
 * @example csv(['op', 'error'], [{ op: 'sum, rows', error: 0.5 }]) // 'op,error\n"sum, rows",0.5\n'
 */
export function csv(keys: readonly string[], rows: readonly Row[]): string {
  checkArray('csv', 'keys', keys)
  checkArray('csv', 'rows', rows)
  const lines = [keys, ...rows.map((row) => keys.map((key) => row[key]))]
  return lines.map((cells) => `${cells.map(field).join(',')}\n`).join('')
}

function field(value: Cell): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
