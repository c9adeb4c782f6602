import { readable } from '../../../base/text/index.js'
import { type FormatName, format } from '../../../numbers/formats/index.js'
import type { Measurement } from './measurement.js'

/** The measurements of one way at the longest length, narrowed by input and variant; the first of them. */
export function atLongest(
  rows: readonly Measurement[],
  wanted: Partial<Pick<Measurement, 'way' | 'input' | 'variant'>>,
): Measurement | undefined {
  const longest = rows.reduce((n, row) => Math.max(n, row.length), 0)
  return rows.find((row) => row.length === longest && matches(row, wanted))
}

/** Whether a measurement has the wanted way, input and variant. */
export function matches(
  row: Measurement,
  wanted: Partial<Pick<Measurement, 'way' | 'input' | 'variant'>>,
): boolean {
  return Object.entries(wanted).every(([field, value]) => row[field as 'way'] === value)
}

/** A number for a sentence. */
export function formatNumber(value: number | undefined, digits = 3): string {
  if (value === undefined) return 'unknown'
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  return readable(value, digits)
}

/** How far the last element is off its reference, in words. */
export function offBy({ last, lastReference }: Measurement): string {
  if (last === lastReference) return 'exact'
  if (!Number.isFinite(last) || lastReference === 0) return 'wrong'
  if (last / lastReference >= 10) return `${readable(last / lastReference, 2)} times too large`
  return `${readable((100 * Math.abs(last - lastReference)) / Math.abs(lastReference), 2)} % off`
}

/** The last element and how far it is off; what is beyond the format's range is called so. */
export function outcome(row: Measurement, dtype: FormatName): string {
  const { max } = format(dtype)
  if (Number.isFinite(row.last)) return `${formatNumber(row.last, 4)} (${offBy(row)})`
  const beyond = Math.abs(row.lastReference) > max
  return beyond
    ? `${formatNumber(row.last)} (the largest ${dtype} number is ${readable(max)})`
    : formatNumber(row.last)
}
