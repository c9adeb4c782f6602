/** How a value is printed, as Node does for what programs print: numbers, texts, lists, records, typed arrays, errors. */
export function inspect(value: unknown, depth = 0): string {
  if (typeof value === 'string') return depth === 0 ? value : quoted(value)
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `[Function: ${value.name || '(anonymous)'}]`
  if (typeof value === 'symbol') return String(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Error) return `${value.name}: ${value.message}`
  const name = value.constructor?.name ?? ''
  if (Array.isArray(value)) return depth > 2 ? '[Array]' : list('', value, depth)
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = Array.from(value as unknown as ArrayLike<unknown>)
    return list(`${name}(${items.length}) `, items, depth)
  }
  if (value instanceof Map) {
    return braces(
      `Map(${value.size}) `,
      [...value].map(([key, held]) => `${inspect(key, depth + 1)} => ${inspect(held, depth + 1)}`),
    )
  }
  if (value instanceof Set) {
    return braces(
      `Set(${value.size}) `,
      [...value].map((held) => inspect(held, depth + 1)),
    )
  }
  // Tensors and reports print themselves.
  const own = Object.getPrototypeOf(value)
  const ownText = 'toString' in value && value.toString !== Object.prototype.toString
  if (ownText && (Object.hasOwn(value, 'toString') || own !== Object.prototype)) return String(value)
  if (depth > 2) return name === 'Object' ? '[Object]' : `[${name}]`
  const entries = Object.entries(value).map(
    ([key, held]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key)}: ${inspect(held, depth + 1)}`,
  )
  return braces(name === 'Object' || name === '' ? '' : `${name} `, entries)
}

/** Longer lists are cut off, as Node does. */
const longest = 100

function list(before: string, items: readonly unknown[], depth: number): string {
  const shown = items.slice(0, longest).map((item) => inspect(item, depth + 1))
  if (items.length > longest) shown.push(`... ${items.length - longest} more items`)
  if (shown.length === 0) return `${before}[]`
  const line = `${before}[ ${shown.join(', ')} ]`
  return line.length <= 76 && !line.includes('\n') ? line : `${before}[\n  ${indented(wrapped(shown))}\n]`
}

function braces(before: string, entries: readonly string[]): string {
  if (entries.length === 0) return `${before}{}`
  const line = `${before}{ ${entries.join(', ')} }`
  return line.length <= 76 && !line.includes('\n')
    ? line
    : `${before}{\n  ${indented(entries.join(',\n'))}\n}`
}

/** Short items several to a line. */
function wrapped(items: readonly string[]): string {
  if (items.some((item) => item.length > 16 || item.includes('\n'))) return items.join(',\n')
  const rows: string[] = []
  for (let i = 0; i < items.length; i += 8) rows.push(items.slice(i, i + 8).join(', '))
  return rows.join(',\n')
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

function quoted(text: string): string {
  return text.includes("'") && !text.includes('"')
    ? `"${text}"`
    : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
