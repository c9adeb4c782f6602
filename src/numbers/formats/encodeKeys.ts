import { nanCode } from './encode.js'
import { encoderByRule } from './encoder.js'
import type { FloatFormat } from './format.js'
import type { RoundingRule } from './rounding.js'

// The key of a float32 is its upper half with the last bit set where the lower half is not zero: rounding to odd, to 8
// significant bits. Where every value of a format and every midpoint of two is an even key, an odd key stands for
// numbers between the same two of them, so a table by keys is exact, in every mode that draws no random words.

/** Whether rounding to keys first changes no code of the format. */
export function keysSuffice(format: FloatFormat, rule: RoundingRule): boolean {
  const { bits, mantissaBits, minSubnormal, minPositive, eps } = format
  if (rule.rounding === 'stochastic') return false
  // Keys below float32's normal range are multiples of 2^-133, even ones of 2^-132.
  return bits <= 8 && mantissaBits <= 5 && (minSubnormal ?? minPositive * eps) / 2 >= 2 ** -132
}

const tables = new WeakMap<FloatFormat, Map<string, Uint8Array>>()

/** The code of every key, for a format whose `keysSuffice`. Built at the first call and kept. */
export function keyTable(format: FloatFormat, rule: RoundingRule): Uint8Array {
  let known = tables.get(format)
  if (known === undefined) {
    known = new Map()
    tables.set(format, known)
  }
  const name = `${rule.rounding} ${rule.saturate}`
  let table = known.get(name)
  if (table === undefined) {
    table = build(format, rule)
    known.set(name, table)
  }
  return table
}

function build(format: FloatFormat, rule: RoundingRule): Uint8Array {
  const words = Uint32Array.from({ length: 65536 }, (_, key) => key << 16)
  const encode = encoderByRule(format, rule)
  return Uint8Array.from(new Float32Array(words.buffer), (value, key) =>
    Number.isNaN(value) ? nanCode(key >= 0x8000, format) : encode(value),
  )
}
