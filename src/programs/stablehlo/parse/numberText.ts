import type { Cursor } from './cursor.js'

// Decimal fractions have a point in MLIR; an exponent alone is taken too.
const number = /-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)/y

/** More than any number needs; long integers take time that grows with the square of their digits. */
const longest = 1024

/** The text of the number at the cursor, which is taken. */
export function numberText(cursor: Cursor): string {
  cursor.peek()
  number.lastIndex = cursor.offset
  const text = number.exec(cursor.text)?.[0]
  if (text === undefined) return cursor.fail('expected a number')
  if (text.length > longest) return cursor.fail(`number of more than ${longest} characters`)
  cursor.offset += text.length
  return text
}
