/**
 * A number as a person reads it: whole numbers below a million in groups of three, others with a few significant
 * digits, powers of ten outside 0.001 ... 100,000. Missing values are a dash.
 *
 * @example readable(65536) // '65,536'
 * @example readable(0.0123456) // '0.0123'
 * @example readable(1.5e-7, 2) // '1.5e-7'
 * @example readable(null) // '-'
 */
export function readable(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return '-'
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return group(value)
  const rounded = Number(value.toPrecision(digits))
  const size = Math.abs(rounded)
  if (size >= 1e-3 && size < 1e5) return Number.isInteger(rounded) ? group(rounded) : String(rounded)
  return rounded.toExponential().replace('e+', 'e')
}

/** Groups of three, without Intl: its output depends on the data an engine was built with. */
function group(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
