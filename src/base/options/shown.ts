/** How long a value may stand in an error text. */
const most = 50

/**
 * A value as an error text shows it: strings and numbers as they are, arrays by their elements, other objects by what they
 * are; cut at 50 characters. A value whose own conversion throws is named by its kind.
 *
 * @example shown([2, 3]) // '2, 3'
 * @example shown(-0) // '-0'
 * @example shown(new Map()) // 'Map'
 */
export function shown(value: unknown): string {
  let text: string
  try {
    text = textOf(value)
  } catch {
    text = typeof value === 'function' ? 'a function' : 'an object'
  }
  return text.length > most ? `${text.slice(0, most - 3)}...` : text
}

function textOf(value: unknown): string {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return value.name === '' ? 'a function' : `function ${value.name}`
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    return value.length === 0 ? 'an empty array' : value.slice(0, most).map(elementText).join(', ')
  }
  if (value instanceof Error) return value.message
  const name = nameOf(value)
  return name === 'Object' ? 'an object' : name
}

const elementText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.slice(0, most).map(elementText).join(', ')}]` : textOf(value)

function nameOf(value: object): string {
  const { constructor } = value
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'Object'
}
