import type { Location } from '../module.js'
import { resolveLocation } from './aliases.js'
import type { Reader } from './reader.js'

export const unknownLocation: Location = Object.freeze({ kind: 'unknown' })

/** `loc(...)` at the cursor; undefined if there is none. */
export function readLocation(reader: Reader): Location | undefined {
  const { cursor } = reader
  if (!cursor.acceptWord('loc')) return undefined
  cursor.expect('(')
  const location = inner(reader)
  cursor.expect(')')
  return location
}

function inner(reader: Reader): Location {
  const { cursor } = reader
  const code = cursor.peek()
  const start = cursor.offset
  if (code === 34) return fileOrName(reader)
  if (code === 35) {
    cursor.offset++
    const name = `#${cursor.suffix('the name of a location')}`
    const alias = reader.aliases.get(name)
    return alias === undefined
      ? cursor.fail(`no location of this name [${name}]`, start)
      : resolveLocation(reader, alias, start)
  }
  const word = cursor.name()
  if (word === 'unknown') return unknownLocation
  if (word === 'callsite') {
    cursor.expect('(')
    const callee = cursor.deeper(() => inner(reader))
    cursor.expectWord('at')
    const caller = cursor.deeper(() => inner(reader))
    cursor.expect(')')
    return { kind: 'callsite', callee, caller }
  }
  if (word === 'fused') {
    // Metadata of a compiler, which says nothing of the program.
    if (cursor.peek() === 60) cursor.balanced()
    const locations: Location[] = []
    cursor.expect('[')
    cursor.deeper(() => cursor.list(']', () => locations.push(inner(reader))))
    return { kind: 'fused', locations }
  }
  return cursor.fail('expected a location', start)
}

function fileOrName(reader: Reader): Location {
  const { cursor } = reader
  const text = cursor.string()
  if (cursor.accept('(')) {
    const child = cursor.deeper(() => inner(reader))
    cursor.expect(')')
    return { kind: 'name', name: text, child }
  }
  if (!cursor.accept(':')) return { kind: 'name', name: text }
  const line = cursor.count('a line')
  const column = cursor.accept(':') ? cursor.count('a column') : 0
  if (!cursor.acceptWord('to')) return { kind: 'file', file: text, line, column }
  const endLine = cursor.peek() === 58 ? line : cursor.count('a line')
  cursor.expect(':')
  return { kind: 'file', file: text, line, column, endLine, endColumn: cursor.count('a column') }
}
