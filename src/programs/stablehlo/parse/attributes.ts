import type { Attribute, Attributes, DenseElementsAttribute, TensorType } from '../module.js'
import { resolveAttribute } from './aliases.js'
import type { Cursor } from './cursor.js'
import { readDialectAttribute } from './dialectAttributes.js'
import { readElements } from './elements.js'
import { readNumber, readNumberOf } from './numbers.js'
import type { Reader } from './reader.js'
import { readType, typeText } from './readType.js'

/** The attribute at the cursor. */
export function readAttribute(reader: Reader): Attribute {
  const { cursor } = reader
  switch (cursor.peek()) {
    case 34: {
      const value = cursor.string()
      if (cursor.accept(':')) readType(reader)
      return { kind: 'string', value }
    }
    case 64:
      return { kind: 'symbol', name: cursor.symbol() }
    case 91:
      return readArray(reader)
    case 123:
      return { kind: 'dictionary', entries: readDictionary(reader) }
    case 35:
      return readNamed(reader)
    case 33:
    case 40:
      return { kind: 'type', type: cursor.deeper(() => readType(reader)) }
    default:
      return readWord(reader)
  }
}

function readArray(reader: Reader): Attribute {
  const { cursor } = reader
  const values: Attribute[] = []
  cursor.expect('[')
  cursor.deeper(() => cursor.list(']', () => values.push(readAttribute(reader))))
  return { kind: 'array', values }
}

/** `{name = attribute, flag}`; with `into`, those entries are added to it. */
export function readDictionary(reader: Reader, into: Record<string, Attribute> = {}): Attributes {
  const { cursor } = reader
  cursor.expect('{')
  cursor.deeper(() =>
    cursor.list('}', () => {
      const isQuoted = cursor.peek() === 34
      const at = cursor.here()
      const name = isQuoted ? cursor.string() : cursor.expectName('the name of an attribute')
      const value: Attribute = cursor.accept('=') ? readAttribute(reader) : { kind: 'unit' }
      setEntry(into, name, value, cursor, at)
    }),
  )
  return into
}

/** Adds an entry that is not there yet. */
export function setEntry(
  entries: Record<string, Attribute>,
  name: string,
  value: Attribute,
  cursor: Cursor,
  at: number,
): void {
  if (Object.hasOwn(entries, name)) cursor.fail(`attribute given twice [${name}]`, at)
  // An assignment would set the prototype.
  if (name === '__proto__') Object.defineProperty(entries, name, { value, enumerable: true })
  else entries[name] = value
}

/** `#alias`, `#dialect.name<...>` or `#dialect<...>`. */
function readNamed(reader: Reader): Attribute {
  const { cursor } = reader
  const start = cursor.offset
  cursor.offset++
  const name = cursor.suffix('the name of an attribute')
  const alias = reader.aliases.get(`#${name}`)
  if (alias !== undefined) return resolveAttribute(reader, alias, start)
  const hasBody = cursor.text.charCodeAt(cursor.offset) === 60
  if (!hasBody && !name.includes('.')) cursor.fail(`no attribute alias of this name [#${name}]`, start)
  return hasBody ? readDialectAttribute(reader, name) : { kind: 'dialect', name, text: '' }
}

function readWord(reader: Reader): Attribute {
  const { cursor } = reader
  const start = cursor.offset
  const code = cursor.text.charCodeAt(start)
  if (code === 45 || (code >= 48 && code <= 57)) return readNumber(reader)
  switch (cursor.name()) {
    case 'true':
      return { kind: 'integer', value: 1, type: 'i1' }
    case 'false':
      return { kind: 'integer', value: 0, type: 'i1' }
    case 'unit':
      return { kind: 'unit' }
    case 'dense':
      return readDense(reader)
    case 'dense_resource':
      return readResource(reader)
    case 'array':
      return readDenseArray(reader)
    case 'affine_map':
      return { kind: 'dialect', name: 'builtin.affine_map', text: cursor.balanced() }
    case 'affine_set':
      return { kind: 'dialect', name: 'builtin.affine_set', text: cursor.balanced() }
    case 'strided':
      return { kind: 'dialect', name: 'builtin.strided', text: cursor.balanced() }
    case 'loc': {
      cursor.offset = start
      reader.location()
      return { kind: 'dialect', name: 'builtin.loc', text: cursor.text.slice(start + 4, cursor.offset - 1) }
    }
    default:
      cursor.offset = start
      return { kind: 'type', type: cursor.deeper(() => readType(reader)) }
  }
}

/** What follows the `>` of a constant: `: tensor<...>`. */
function constantType(reader: Reader): TensorType {
  const { cursor } = reader
  cursor.expect(':')
  const at = cursor.here()
  const type = readType(reader)
  return type.kind === 'tensor'
    ? type
    : cursor.fail(`constant of a type that is no tensor of fixed rank [${typeText(type)}]`, at)
}

/** `dense<...> : type`, the cursor behind the word. The type comes last, so it is read before the elements. */
function readDense(reader: Reader): DenseElementsAttribute {
  const { cursor } = reader
  cursor.expect('<')
  const first = cursor.offset
  const end = cursor.text.indexOf('>', first)
  if (end < 0) cursor.fail("'<' without its '>'", first - 1)
  cursor.offset = end + 1
  const typeAt = cursor.offset
  const type = constantType(reader)
  const after = cursor.offset
  cursor.offset = first
  const elements = readElements(cursor, end, type, typeAt)
  cursor.offset = after
  return elements
}

/** `dense_resource<key> : type`: the bytes stand at the end of the file. */
function readResource(reader: Reader): DenseElementsAttribute {
  const { cursor } = reader
  cursor.expect('<')
  const at = cursor.here()
  const key = cursor.peek() === 34 ? cursor.string() : cursor.suffix('the key of a resource')
  cursor.expect('>')
  const type = constantType(reader)
  return reader.resource(key, at, type)
}

/** `array<i64: 1, 2>`, the cursor behind the word. */
function readDenseArray(reader: Reader): Attribute {
  const { cursor } = reader
  cursor.expect('<')
  const element = cursor.expectName('the type of an array')
  const values: number[] = []
  if (cursor.accept(':')) {
    do {
      if (cursor.acceptWord('true')) values.push(1)
      else if (cursor.acceptWord('false')) values.push(0)
      else values.push(Number(readNumberOf(reader, element).value))
    } while (cursor.accept(','))
  }
  cursor.expect('>')
  return { kind: 'denseArray', element, values }
}
