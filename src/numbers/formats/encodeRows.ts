import { encodeByRule } from './encode.js'
import type { FloatFormat } from './format.js'
import type { RoundingRule } from './rounding.js'

/**
 * How numbers become codes, by their upper bits, sign and exponent, 9 of a float32 or 12 of a float64: value +
 * shifters[row] has the rounded significand in its lower word, since the unit of its last place is the format's there,
 * ties to even; with bases[row] added that is the code. A base of `unusual` sends the value to the reference.
 */
export interface Rows {
  readonly shifters: Float64Array
  readonly bases: Int32Array
  /** Codes of +Infinity and -Infinity, which are unusual too. */
  readonly infinities: readonly [number, number]
}

/** A bit that no code has. */
export const unusual = 0x10000

const tables = new WeakMap<FloatFormat, Map<string, Rows>>()

/** The rows of a format for nearest even; undefined where there are none. Built at the first call and kept. */
export function encodeRows(
  format: FloatFormat,
  rule: RoundingRule,
  source: 'float32' | 'float64',
): Rows | undefined {
  if (rule.rounding !== 'nearest-even') return undefined
  // Ties go to the even code there, not to the even multiple of the unit.
  if (format.mantissaBits === 0 && format.zero) return undefined
  // Float32 numbers below its normal range share one row, and so must their codes.
  if (source === 'float32' && format.minExponent < -126) return undefined
  let known = tables.get(format)
  if (known === undefined) {
    known = new Map()
    tables.set(format, known)
  }
  const name = `${source} ${rule.saturate}`
  let rows = known.get(name)
  if (rows === undefined) {
    rows = build(format, rule, source === 'float32' ? 256 : 2048)
    known.set(name, rows)
  }
  return rows
}

function build(format: FloatFormat, rule: RoundingRule, exponents: 256 | 2048): Rows {
  const { mantissaBits, bias, minExponent, maxExponent, maxCode, infinityCode, signMask } = format
  const { signed, subnormals, zero, negativeZero } = format
  // Where infinity follows the largest finite value at a power of two, rounding up to it needs no care.
  const carries = !rule.saturate && infinityCode === maxCode + 1 && infinityCode % 2 ** mantissaBits === 0
  const least = subnormals ? -Infinity : zero ? minExponent + 1 : minExponent
  const shifters = new Float64Array(2 * exponents)
  const bases = new Int32Array(2 * exponents)
  for (let row = 0; row < 2 * exponents; row++) {
    const negative = row >= exponents
    const sign = negative ? -1 : 1
    const field = row % exponents
    const exponent = Math.max(field, 1) - (exponents / 2 - 1)
    const unit = Math.max(exponent, minExponent) - mantissaBits
    const all = (value: number): void => {
      shifters[row] = sign * Infinity
      bases[row] = encodeByRule(sign * value, format, rule)
    }
    if (field === exponents - 1) {
      bases[row] = unusual
    } else if (exponent > maxExponent) {
      all(Infinity)
    } else if (negative && !signed && field > 0) {
      all(1)
    } else if (negative && !negativeZero && signed && exponent < unit - 1) {
      all(0)
    } else if (
      (negative && !negativeZero && exponent === unit - 1) ||
      (negative && !signed) ||
      exponent < least ||
      (exponent === maxExponent && !carries)
    ) {
      bases[row] = unusual
    } else {
      shifters[row] = sign * 1.5 * 2 ** (52 + unit)
      // The significand brings its hidden bit along, one step of the exponent field, unless it is subnormal.
      const steps = (subnormals ? Math.max(exponent, minExponent) : exponent) + bias - 1
      bases[row] = (negative ? signMask : 0) + steps * 2 ** mantissaBits
    }
  }
  const infinities = [encodeByRule(Infinity, format, rule), encodeByRule(-Infinity, format, rule)] as const
  return { shifters, bases, infinities }
}
