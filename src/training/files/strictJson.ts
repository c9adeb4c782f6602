/** Levels of objects and lists within each other, and entries of one of them, that are read. */
export const maxDepth = 128
export const maxEntries: number = 2 ** 18

/**
 * JSON whose reader and whose writer cannot have meant different things: no key twice in one object, numbers in plain
 * digits, no half of a surrogate pair in a key (JSON.parse alone keeps the last of two equal keys); and of bounded cost: at
 * most 128 levels, and 262,144 entries in one object or list. `what` is what errors call the text.
 */
export function strictJson(op: string, text: string, what: string = 'the header'): unknown {
  try {
    scan(op, text, what)
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RangeError(`${op}: ${what} is not JSON [${error.message.slice(0, 50)}]`)
  }
}

/** Whether a string has half of a surrogate pair, which UTF-8 cannot hold. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Cs}/u.test(text)
}

/** An object or a list that is being read. */
interface Open {
  readonly keys: Set<string> | undefined
  commas: number
}

/** Walks the tokens; what is not JSON at all is left to JSON.parse. */
function scan(op: string, text: string, what: string): void {
  const open: Open[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '{' || char === '[') {
      if (open.push({ keys: char === '{' ? new Set() : undefined, commas: 0 }) > maxDepth) {
        throw new RangeError(`${op}: ${what} nests deeper than ${maxDepth} levels [${char}]`)
      }
    } else if (char === '}' || char === ']') {
      open.pop()
    } else if (char === ',') {
      const inside = open.at(-1)
      if (inside && ++inside.commas >= maxEntries) {
        throw new RangeError(`${op}: ${what} has more than ${maxEntries} entries at one place [${char}]`)
      }
    } else if (char === '"') {
      const end = endOfString(text, i)
      const keys = open.at(-1)?.keys
      if (keys && isColonNext(text, end)) addKey(op, what, keys, text.slice(i, end))
      i = end - 1
    } else if (char === '-' || isDigit(text.charCodeAt(i))) {
      const end = endOfNumber(text, i)
      const number = text.slice(i, end)
      if (!/^\d+$/.test(number)) {
        throw new RangeError(`${op}: not a whole number in ${what} [${number.slice(0, 50)}]`)
      }
      i = end - 1
    }
  }
}

function addKey(op: string, what: string, keys: Set<string>, literal: string): void {
  const key: string = JSON.parse(literal)
  if (keys.has(key)) throw new RangeError(`${op}: a key stands twice in ${what} [${key.slice(0, 50)}]`)
  if (hasLoneSurrogate(key)) {
    throw new RangeError(`${op}: half of a surrogate pair in a key [${literal.slice(0, 50)}]`)
  }
  keys.add(key)
}

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1
  for (; i < text.length; i++) {
    const char = text[i]!
    if (!isDigit(text.charCodeAt(i)) && !'.eE+-'.includes(char)) break
  }
  return i
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

function isColonNext(text: string, start: number): boolean {
  let i = start
  while (' \t\r\n'.includes(text[i] ?? 'x')) i++
  return text[i] === ':'
}
