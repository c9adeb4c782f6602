import { parseError } from './parseError.js'

/** How deep types, attributes, locations and regions may nest, so that no text exhausts the stack. */
const deepest = 256

const newline = 10
const space = 32
const slash = 47
const quote = 34
const backslash = 92

/** Which characters a bare name may hold: letters, digits and `_ $ .`. */
const isNameCode: Uint8Array = codesOf(/[\w$.]/)
/** Those of a value or a block, `%0` or `^bb0`: also `-`. */
const isSuffixCode: Uint8Array = codesOf(/[\w$.-]/)

function codesOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}

/** A place in the text that moves forward by tokens; whitespace and comments before a token are skipped. */
export class Cursor {
  readonly text: string
  offset = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  /** The error that names this place, or the given one. */
  error(problem: string, offset: number = this.offset): SyntaxError {
    return parseError(this.text, offset, problem)
  }

  /** Throws that error, where a value is expected. */
  fail(problem: string, offset: number = this.offset): never {
    throw this.error(problem, offset)
  }

  /** Moves to the next token, past whitespace and comments; the code of its first character, NaN at the end. */
  peek(): number {
    const { text } = this
    let offset = this.offset
    for (;;) {
      const code = text.charCodeAt(offset)
      if (code <= space) {
        offset++
      } else if (code === slash && text.charCodeAt(offset + 1) === slash) {
        const end = text.indexOf('\n', offset)
        offset = end < 0 ? text.length : end
      } else {
        this.offset = offset
        return code
      }
    }
  }

  /** Where the next token begins. */
  here(): number {
    this.peek()
    return this.offset
  }

  /** Whether the next token begins with the punctuation; takes it if so. */
  accept(punctuation: string): boolean {
    if (this.peek() !== punctuation.charCodeAt(0)) return false
    if (punctuation.length > 1 && !this.text.startsWith(punctuation, this.offset)) return false
    this.offset += punctuation.length
    return true
  }

  expect(punctuation: string): void {
    if (!this.accept(punctuation)) this.fail(`expected '${punctuation}'`)
  }

  /** Whether the next token is this bare word; takes it if so. */
  acceptWord(word: string): boolean {
    if (this.peek() !== word.charCodeAt(0) || !this.text.startsWith(word, this.offset)) return false
    const end = this.offset + word.length
    if (isNameCode[this.text.charCodeAt(end)] === 1) return false
    this.offset = end
    return true
  }

  expectWord(word: string): void {
    if (!this.acceptWord(word)) this.fail(`expected '${word}'`)
  }

  /** The bare name at the cursor, `stablehlo.add`; empty if there is none. */
  name(): string {
    this.peek()
    return this.taken(isNameCode)
  }

  expectName(what: string): string {
    const name = this.name()
    return name === '' ? this.fail(`expected ${what}`) : name
  }

  /** What follows a sigil: `arg0` of `%arg0`. */
  suffix(what: string): string {
    const suffix = this.taken(isSuffixCode)
    return suffix === '' ? this.fail(`expected ${what}`) : suffix
  }

  private taken(codes: Uint8Array): string {
    const { text, offset } = this
    let end = offset
    while (codes[text.charCodeAt(end)] === 1) end++
    this.offset = end
    return text.slice(offset, end)
  }

  /** A whole number without sign, written in decimal digits. */
  count(what: string): number {
    const start = this.offset
    this.peek()
    const { text } = this
    let end = this.offset
    let value = 0
    for (let digit = text.charCodeAt(end) - 48; digit >= 0 && digit <= 9; digit = text.charCodeAt(end) - 48) {
      value = value * 10 + digit
      end++
    }
    if (end === this.offset) this.fail(`expected ${what}`)
    if (!Number.isSafeInteger(value)) this.fail(`${what} outside the whole numbers of 53 bits`, start)
    this.offset = end
    return value
  }

  /** A whole number of at most 53 bits, with its sign. */
  integer(what: string): number {
    return this.accept('-') ? -this.count(what) : this.count(what)
  }

  /** A string literal, its escapes resolved: `\n \t \\ \"` and bytes as `\E2`, which are UTF-8, or Latin-1 where they are not. */
  string(what = 'a string'): string {
    if (this.peek() !== quote) this.fail(`expected ${what}`)
    const { text } = this
    const start = this.offset + 1
    let escaped = false
    for (let end = start; ; end++) {
      const code = text.charCodeAt(end)
      if (code === quote) {
        this.offset = end + 1
        const raw = text.slice(start, end)
        return escaped ? this.unescaped(raw, start) : raw
      }
      if (code === backslash) {
        escaped = true
        end++
      }
      if (code === newline || Number.isNaN(code)) this.fail('string without an end', start - 1)
    }
  }

  private unescaped(raw: string, start: number): string {
    let text = ''
    let last = 0
    for (let i = raw.indexOf('\\'); i >= 0; i = raw.indexOf('\\', last)) {
      text += raw.slice(last, i)
      const run = escapedBytes(raw, i)
      if (run.length > 0) {
        text += textOfBytes(run)
        last = i + 3 * run.length
      } else {
        const char = escapes[raw[i + 1]!] ?? this.fail('unknown escape in a string', start + i)
        text += char
        last = i + 2
      }
    }
    return text + raw.slice(last)
  }

  /** `@name`, `@"any text"`, `@outer::@inner`, without the first `@`. */
  symbol(): string {
    if (this.peek() !== 64) this.fail('expected a symbol, such as @main')
    this.offset++
    let name =
      this.text.charCodeAt(this.offset) === quote ? this.string() : this.suffix('the name of a symbol')
    while (this.accept('::')) {
      this.expect('@')
      name += `::@${this.text.charCodeAt(this.offset) === quote ? this.string() : this.suffix('the name of a symbol')}`
    }
    return name
  }

  /** The text between the angle brackets at the cursor, which may nest brackets of every kind and hold strings. */
  balanced(): string {
    if (this.peek() !== 60) this.fail("expected '<'")
    return this.bracketed().slice(1, -1).trim()
  }

  /** The text from the bracket at the cursor to its counterpart, both with it. */
  bracketed(): string {
    const { text } = this
    const closers: string[] = []
    this.peek()
    const start = this.offset
    do {
      const code = this.peek()
      const at = this.offset
      if (Number.isNaN(code)) this.fail(`'${text[start]}' without its '${closers[0]}'`, start)
      if (code === quote) {
        this.string()
        continue
      }
      this.offset++
      const char = text[at]!
      const opened = '<([{'.indexOf(char)
      if (opened >= 0) closers.push('>)]}'[opened]!)
      else if (char === '-' && text[at + 1] === '>') this.offset++
      else if (char === closers.at(-1)) closers.pop()
      else if ('>)]}'.includes(char)) this.fail(`expected '${closers.at(-1) ?? '<'}'`, at)
    } while (closers.length > 0)
    return text.slice(start, this.offset)
  }

  /** Items separated by commas up to the closing bracket, which is taken too. */
  list(close: string, item: () => void): void {
    if (this.accept(close)) return
    do item()
    while (this.accept(','))
    this.expect(close)
  }

  /** Runs a reader one level deeper. */
  deeper<T>(read: () => T): T {
    if (this.depth === deepest) this.fail(`nested more than ${deepest} levels deep`)
    this.depth++
    const result = read()
    this.depth--
    return result
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' }

/** The bytes written `\E2\88` from a place on. */
function escapedBytes(raw: string, start: number): number[] {
  const bytes: number[] = []
  for (let i = start; raw[i] === '\\' && /^[0-9a-fA-F]{2}$/.test(raw.slice(i + 1, i + 3)); i += 3) {
    bytes.push(Number.parseInt(raw.slice(i + 1, i + 3), 16))
  }
  return bytes
}

function textOfBytes(bytes: readonly number[]): string {
  if (bytes.length === 1 && bytes[0]! < 128) return String.fromCharCode(bytes[0]!)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return bytes.map((byte) => String.fromCharCode(byte)).join('')
  }
}
