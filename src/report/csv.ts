import { checkArray, checkName, checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import { type Cell, cellOf } from './column.js'

/** How values are written. */
export interface CsvOptions {
  /**
   * What becomes of texts that a spreadsheet would take for a formula: those that begin with = + - @, a tab or a carriage return, and are no
   * number. 'escape' writes an apostrophe before them, which spreadsheets do not show; 'keep' writes them as they are. Default 'escape'.
   */
  readonly formulas?: 'escape' | 'keep'
}

const names: OptionTable<CsvOptions> = { formulas: 'optional' }

/**
 * Comma-separated values after RFC 4180: a heading line, LF line ends, quotes only where a field needs them.
 * Numbers are written in full (the shortest digits that read back as the same float64); missing ones are empty.
 *
 * @example csv(['op', 'error'], [{ op: 'sum, rows', error: 0.5 }]) // 'op,error\n"sum, rows",0.5\n'
 * csv(['op'], [{ op: '=1+1' }]) // "op\n'=1+1\n"
 */
export function csv(
  keys: readonly string[],
  rows: readonly object[],
  options: CsvOptions = noOptions,
): string {
  checkArray('csv', 'keys', keys)
  checkArray('csv', 'rows', rows)
  checkOptions('csv', options, names)
  const { formulas = 'escape' } = options
  checkName('csv', 'formulas', formulas, ['escape', 'keep'])
  const lines = [keys, ...rows.map((row) => keys.map((key) => cellOf(row, { key })))]
  return lines
    .map((cells) => `${cells.map((cell) => field(cell, formulas === 'escape')).join(',')}\n`)
    .join('')
}

function field(value: Cell, escape: boolean): string {
  if (value === null || value === undefined) return ''
  const plain = String(value)
  const isFormula =
    escape && typeof value === 'string' && /^[=+@\t\r]|^-./.test(plain) && Number.isNaN(Number(plain))
  const text = isFormula ? `'${plain}` : plain
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
