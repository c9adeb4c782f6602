/** Why text is no number; it does not leave this file. */
class Refusal extends Error {}

const decimal = /^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i
const hexadecimal = /^0x([\da-f]*)\.?([\da-f]*)p([-+]?\d+)/i

/**
 * A number as arithmetic writes it: decimals and hexadecimal floats, + - * /, parentheses, whole powers of 2 and of 10.
 * Each operation is rounded to float64. Text that is no number gives the reason.
 */
export function readExpression(written: string): { readonly value: number } | { readonly refused: string } {
  let rest = written.trimStart()
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest)
    if (found) rest = rest.slice(found[0].length).trimStart()
    return found
  }
  const unread = (): Refusal =>
    new Refusal(
      rest === ''
        ? 'The number is not complete.'
        : rest === written.trimStart()
          ? `“${shortened(rest)}” is no number.`
          : `“${shortened(rest)}” does not belong to a number.`,
    )
  const sum = (): number => {
    let total = product()
    for (let sign = take(/^[-+]/); sign; sign = take(/^[-+]/)) {
      total = sign[0] === '+' ? total + product() : total - product()
    }
    return total
  }
  const product = (): number => {
    let total = signed()
    for (let sign = take(/^[*/×x]/); sign; sign = take(/^[*/×x]/)) {
      const next = signed()
      if (sign[0] === '/' && next === 0) throw new Refusal('A division by zero has no value.')
      total = sign[0] === '/' ? total / next : total * next
    }
    return total
  }
  const signed = (): number => {
    const sign = take(/^[-+]/)
    if (!sign) return power()
    return sign[0] === '-' ? -signed() : signed()
  }
  const power = (): number => {
    const base = atom()
    if (!take(/^(\*\*|\^)/)) return base
    const exponent = signed()
    if (!Number.isInteger(exponent)) throw new Refusal('The exponent of a power is not whole.')
    if (base === 2) return 2 ** exponent
    // Through text, since Math.pow rounds powers of 10 differently from browser to browser.
    if (base === 10) return Number(`1e${exponent}`)
    throw new Refusal('Powers are those of 2 and of 10.')
  }
  const atom = (): number => {
    const hex = take(hexadecimal)
    if (hex) return hexadecimalOf(hex[1]!, hex[2]!, Number(hex[3]))
    const digits = take(decimal)
    if (digits) return Number(digits[0])
    if (!take(/^\(/)) throw unread()
    const inner = sum()
    if (!take(/^\)/)) throw rest === '' ? new Refusal('A parenthesis is not closed.') : unread()
    return inner
  }
  try {
    const value = sum()
    if (/^,\d/.test(rest)) return { refused: 'Decimals are written with a point, not a comma.' }
    if (rest !== '') throw unread()
    if (Number.isNaN(value)) return { refused: 'The difference or product of these has no value.' }
    return { value }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { refused: thrown.message }
    // The stack overflows: thousands of parentheses.
    if (thrown instanceof RangeError) return { refused: 'The parentheses are nested too deeply.' }
    throw thrown
  }
}

/** A hexadecimal float, as C writes it: 0x1.8p-3. Its digits may be more than float64 has, then they are refused. */
function hexadecimalOf(whole: string, fraction: string, power: number): number {
  const digits = `${whole}${fraction}`.replace(/^0+(?=.)/, '')
  if (digits === '') throw new Refusal('A hexadecimal float has digits.')
  const significand = Number(`0x${digits}`)
  if (significand > Number.MAX_SAFE_INTEGER) {
    throw new Refusal('A hexadecimal float has at most 53 bits.')
  }
  // In two steps, neither of which overflows where the product does not.
  const exponent = power - 4 * fraction.length
  const half = Math.trunc(exponent / 2)
  return significand * 2 ** half * 2 ** (exponent - half)
}

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 24)}…` : text)
