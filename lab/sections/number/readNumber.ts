import { decode, type FloatFormat } from 'tpu-toolkit/formats'
import { readExpression } from './readExpression.js'

/** What was typed: a number in float64, and its code where a code was typed; or why it is none. */
export type ReadNumber = { readonly value: number; readonly code?: number } | { readonly refused: string }

/** The number that is typed. A code, such as 0x3dcd, is one of `record`, as in `tpu-toolkit inspect`. */
export function readNumber(typed: string, record: FloatFormat): ReadNumber {
  const plain = typed.trim().replaceAll('−', '-')
  if (plain === '') return { refused: 'Nothing was typed.' }
  const named = /^([-+]?)(inf|infinity|nan)$/i.exec(plain)
  if (named) {
    const [, sign, name] = named
    return { value: /nan/i.test(name!) ? Number.NaN : sign === '-' ? -Infinity : Infinity }
  }
  if (/^[-+]\s*0[xb][\da-f]+$/i.test(plain)) {
    return { refused: `A code has no sign: its first bit is the sign [${plain}].` }
  }
  const code = codeIn(plain, record)
  if (code === undefined) return readExpression(plain)
  if (code < 2 ** record.bits) return { value: decode(code, record), code }
  const largest = `0x${(2 ** record.bits - 1).toString(16)}`
  return {
    refused: `A code of ${record.name} has ${record.bits} bits: the largest is ${largest} [${plain}].`,
  }
}

/** A code: 0x3dcd, 0b11110111001101, or all bits in groups, such as 0 01111011 1001101. */
function codeIn(plain: string, { bits }: FloatFormat): number | undefined {
  if (/^0x[\da-f]+$/i.test(plain) || /^0b[01]+$/i.test(plain)) return Number(plain)
  const joined = plain.replaceAll(/\s/g, '')
  const grouped = /^[01]+(\s+[01]+)+$/.test(plain) && joined.length === bits
  return grouped ? Number.parseInt(joined, 2) : undefined
}
