import type { Attribute, Location, Type } from '../module.js'
import { parseError } from './parseError.js'
import type { Alias, Reader } from './reader.js'

/** Where each `#name = ` and `!name = ` at the beginning of a line is defined; they may stand after their uses. */
export function findAliases(text: string): Map<string, Alias> {
  const aliases = new Map<string, Alias>()
  const definition = /^[ \t]*([#!][\w$.-]+)[ \t]*=/gm
  for (let match = definition.exec(text); match !== null; match = definition.exec(text)) {
    const name = match[1]!
    if (aliases.has(name)) throw parseError(text, match.index, `alias defined twice [${name}]`)
    aliases.set(name, { start: definition.lastIndex, open: false })
  }
  return aliases
}

/** Reads the locations in the order of their definition, inner ones first, so that a long chain of calls does not nest. */
export function resolveLocations(reader: Reader): void {
  for (const alias of reader.aliases.values()) {
    if (/^\s*loc\(/.test(reader.cursor.text.slice(alias.start, alias.start + 8))) {
      resolveLocation(reader, alias, alias.start)
    }
  }
}

/** The type that an alias stands for; `at` is where it was used. */
export const resolveType = (reader: Reader, alias: Alias, at: number): Type =>
  (alias.type ??= resolve(reader, alias, at, reader.type))

export const resolveAttribute = (reader: Reader, alias: Alias, at: number): Attribute =>
  (alias.attribute ??= resolve(reader, alias, at, reader.attribute))

export const resolveLocation = (reader: Reader, alias: Alias, at: number): Location =>
  (alias.location ??= resolve(
    reader,
    alias,
    at,
    () => reader.location() ?? reader.cursor.fail("expected 'loc('"),
  ))

/** Reads what an alias stands for where it is defined, and comes back. */
function resolve<T>(reader: Reader, alias: Alias, at: number, read: () => T): T {
  const { cursor } = reader
  if (alias.open) cursor.fail('alias that is part of itself', at)
  const back = cursor.offset
  alias.open = true
  cursor.offset = alias.start
  const result = cursor.deeper(read)
  alias.end = cursor.offset
  cursor.offset = back
  alias.open = false
  return result
}

/** Moves past the definition at the cursor, reading it unless that was done. */
export function skipAlias(reader: Reader): void {
  const { cursor } = reader
  const start = cursor.offset
  const sigil = cursor.text[start]!
  cursor.offset++
  const alias = reader.aliases.get(sigil + cursor.suffix('the name of an alias'))
  cursor.expect('=')
  if (alias?.start !== cursor.offset) throw cursor.error('expected an alias to begin its line', start)
  if (alias.end === undefined) {
    if (sigil === '!') resolveType(reader, alias, start)
    else resolveAttribute(reader, alias, start)
  }
  cursor.offset = alias.end!
}
