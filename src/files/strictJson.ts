const maxDepth = 128

/**
 * JSON whose reader and whose writer cannot have meant different things: no key twice in one object, numbers in plain
 * digits, no half of a surrogate pair in a key, at most 128 levels (JSON.parse alone keeps the last of two equal keys).
 */
export function strictJson(op: string, text: string): unknown {
  try {
    scan(op, text)
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RangeError(`${op}: the header is not JSON [${error.message.slice(0, 50)}]`)
  }
}

/** Whether a string has half of a surrogate pair, which UTF-8 cannot hold. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Cs}/u.test(text)
}

/** Walks the tokens; what is not JSON at all is left to JSON.parse. */
function scan(op: string, text: string): void {
  const open: (Set<string> | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '{' || char === '[') {
      if (open.push(char === '{' ? new Set() : undefined) > maxDepth)
        throw new RangeError(`${op}: the header nests deeper than ${maxDepth} levels [${char}]`)
    } else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const end = endOfString(text, i)
      const keys = open.at(-1)
      if (keys && isColonNext(text, end)) addKey(op, keys, text.slice(i, end))
      i = end - 1
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(text, i)
      const number = text.slice(i, end)
      if (!/^\d+$/.test(number))
        throw new RangeError(`${op}: not a whole number in the header [${number.slice(0, 50)}]`)
      i = end - 1
    }
  }
}

function addKey(op: string, keys: Set<string>, literal: string): void {
  const key: string = JSON.parse(literal)
  if (keys.has(key)) throw new RangeError(`${op}: a key stands twice in the header [${key.slice(0, 50)}]`)
  if (hasLoneSurrogate(key))
    throw new RangeError(`${op}: half of a surrogate pair in a key [${literal.slice(0, 50)}]`)
  keys.add(key)
}

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i + 1
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && /[\d.eE+-]/.test(text[i]!)) i++
  return i
}

function isColonNext(text: string, start: number): boolean {
  let i = start
  while (/[ \t\r\n]/.test(text[i] ?? '')) i++
  return text[i] === ':'
}
