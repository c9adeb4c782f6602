/** A value as it stands in a program: records, lists, numbers and texts. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${escaped(value)}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([name, one]) => `${/^([a-z_]\w*|\d+)$/i.test(name) ? name : literal(name)}: ${literal(one)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')
