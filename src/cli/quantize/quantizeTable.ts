import { readable } from '../../base/text/index.js'
import { type Cell, type Column, type Row, textTable } from '../../report/index.js'
import type { WayReport } from '../../tensors/blocks/index.js'
import type { Skipped } from '../io/openFloatTensors.js'
import type { QuantizeResults } from './quantizeFile.js'

/** What the columns mean. */
export const reading =
  'SQNR is the sum of squares over that of the errors, in dB. Clipped: beyond the largest number there is, in a block the largest element times its scale. Underflowed: not zero before, and zero after. Overflowed: became Inf or NaN; then there is no SQNR. Shares and errors are over the finite values; bits count the scales.'

const share = (value: Cell): string =>
  typeof value !== 'number' ? '-' : value === 0 ? '0 %' : `${readable(100 * value)} %`

const measures: readonly Column[] = [
  { key: 'bits', digits: 4 },
  { key: 'sqnr', header: 'SQNR dB', align: 'right' },
  { key: 'clipped', show: share },
  { key: 'underflowed', show: share },
  { key: 'overflowed', show: share },
  { key: 'maxError', header: 'max error' },
]

/** The columns of a table of tensors; what became Inf or NaN, and values that were, are shown where there are any. */
export function tensorColumns(rows: readonly Row[]): Column[] {
  const columns = [
    { key: 'tensor' },
    { key: 'shape' },
    { key: 'dtype' },
    { key: 'format' },
    ...measures,
    { key: 'notFinite', header: 'Inf or NaN' },
  ]
  return columns.filter(
    ({ key }) => (key !== 'overflowed' && key !== 'notFinite') || rows.some((row) => row[key]),
  )
}

/** One row a tensor and way. */
export function tensorRows({ tensors, rows }: QuantizeResults): Row[] {
  const ways = rows.length / tensors.length
  return rows.map((row, i) => {
    const { shape, dtype, notFinite } = tensors[Math.floor(i / ways)]!
    return {
      ...measured(row),
      ...{ tensor: row.tensor, shape: `[${shape.join(', ')}]`, dtype: String(dtype), notFinite },
    }
  })
}

/** The columns of the table of ways. */
export function totalColumns(rows: readonly Row[]): Column[] {
  const columns: Column[] = [
    { key: 'format' },
    ...measures,
    { key: 'worst', header: 'worst tensor' },
    { key: 'worstSqnr', header: 'its SQNR dB', align: 'right' },
  ]
  return columns.filter(({ key }) => key !== 'overflowed' || rows.some((row) => row[key]))
}

/** One row a way, over all tensors. */
export function totalRows({ totals }: Pick<QuantizeResults, 'totals'>): Row[] {
  return totals.map((total) => ({
    ...measured(total),
    worst: total.worst.tensor,
    worstSqnr: decibels(total.worst.sqnr),
  }))
}

/** A way in words. */
export function wayName({ scheme, way }: Pick<WayReport, 'scheme' | 'way'>): string {
  return `${scheme} ${way}`
}

function measured(row: WayReport): Row {
  const { bits, clipped, underflowed, overflowed, maxError } = row
  return {
    format: wayName(row),
    ...{ bits, sqnr: decibels(row.sqnr), clipped, underflowed, overflowed, maxError },
  }
}

function decibels(sqnr: number): string {
  return sqnr === Infinity ? 'exact' : sqnr === -Infinity ? '-' : readable(sqnr)
}

/** The tensors that were left out, a line each; nothing where there are none. */
export function leftOutText(title: string, skipped: readonly Skipped[]): string[] {
  if (skipped.length === 0) return []
  return [`${title}:\n${skipped.map(({ name, why }) => `  ${name}: ${why}`).join('\n')}`]
}

/** What the command prints. */
export function quantizeTable(results: QuantizeResults, width?: number): string {
  const { tensors, skipped, totals } = results
  const rows = tensorRows(results)
  const all = totalRows(results)
  const values = tensors.reduce((sum, tensor) => sum + tensor.values, 0)
  return [
    textTable(tensorColumns(rows), rows, { width, ...(totals.length > 1 ? { group: 'tensor' } : {}) }),
    `Together, ${readable(tensors.length)} tensor${tensors.length === 1 ? '' : 's'} and ${readable(values, 4)} values:`,
    textTable(totalColumns(all), all, { width }),
    ...leftOutText('Left out', skipped),
    reading,
  ].join('\n\n')
}
