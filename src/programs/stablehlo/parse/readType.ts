import type { Attribute, TensorType, Type } from '../module.js'
import { resolveType } from './aliases.js'
import type { Reader } from './reader.js'

const isElement = /^(?:[su]?i[1-9]\d*|index|bf16|tf32|f(?:16|32|64|80|128)|f[468]E\d+M\d+\w*)$/
const isNamed = /^(?:none|vector|memref|complex)$/
const question = 63
const opening = 60
const bang = 33

/** The type at the cursor. */
export function readType(reader: Reader): Type {
  const { cursor } = reader
  const code = cursor.peek()
  if (code === 40) return readFunctionType(reader)
  if (code === bang) return readDialectType(reader)
  const start = cursor.offset
  const name = cursor.name()
  if (name === 'tensor' && cursor.peek() === opening) return readTensorType(reader)
  if (name === 'tuple' && cursor.accept('<')) {
    const types: Type[] = []
    cursor.deeper(() => cursor.list('>', () => types.push(readType(reader))))
    return { kind: 'tuple', types }
  }
  if (isElement.test(name)) return { kind: 'named', text: name }
  if (isNamed.test(name)) {
    return { kind: 'named', text: cursor.peek() === opening ? `${name}<${cursor.balanced()}>` : name }
  }
  return cursor.fail('expected a type', start)
}

/** Types separated by commas, at least one. */
export function readTypes(reader: Reader): Type[] {
  const types = [readType(reader)]
  while (reader.cursor.accept(',')) types.push(readType(reader))
  return types
}

/** One type, or several in parentheses: the results of a function. */
export function readResultTypes(reader: Reader): Type[] {
  const { cursor } = reader
  if (cursor.peek() !== 40) return [readType(reader)]
  const types: Type[] = []
  cursor.expect('(')
  cursor.deeper(() => cursor.list(')', () => types.push(readType(reader))))
  return types
}

function readFunctionType(reader: Reader): Type {
  const { cursor } = reader
  const inputs = readResultTypes(reader)
  cursor.expect('->')
  return { kind: 'function', inputs, results: cursor.deeper(() => readResultTypes(reader)) }
}

function readDialectType(reader: Reader): Type {
  const { cursor } = reader
  const start = cursor.offset
  cursor.offset++
  const name = cursor.suffix('the name of a type')
  const alias = reader.aliases.get(`!${name}`)
  if (alias !== undefined) return resolveType(reader, alias, start)
  if (!name.includes('.')) cursor.fail(`no type alias of this name [!${name}]`, start)
  return {
    kind: 'named',
    text: `!${name}${cursor.text.charCodeAt(cursor.offset) === opening ? `<${cursor.balanced()}>` : ''}`,
  }
}

function readTensorType(reader: Reader): Type {
  const { cursor, types } = reader
  const { text, offset } = cursor
  // Nearly every type is flat, and has been seen before.
  const end = text.indexOf('>', offset)
  const key = end < 0 ? '' : text.slice(offset, end)
  const known = types.get(key)
  if (known !== undefined) {
    cursor.offset = end + 1
    return known
  }
  const type = cursor.deeper(() => tensorType(reader))
  if (cursor.offset === end + 1 && !/[!#]/.test(key)) types.set(key, type)
  return type
}

function tensorType(reader: Reader): Type {
  const { cursor } = reader
  const start = cursor.offset
  cursor.expect('<')
  const shape: (number | undefined)[] = []
  for (;;) {
    const code = cursor.peek()
    if (code === 42) {
      cursor.offset = start
      return { kind: 'named', text: `tensor<${cursor.balanced()}>` }
    }
    if (code === question) {
      cursor.offset++
      shape.push(undefined)
    } else if (code >= 48 && code <= 57) {
      shape.push(cursor.count('a dimension'))
    } else {
      break
    }
    if (cursor.text.charCodeAt(cursor.offset) !== 120) cursor.fail("expected 'x' after a dimension")
    cursor.offset++
  }
  const element = readElement(reader)
  const encoding: Attribute | undefined = cursor.accept(',') ? reader.attribute() : undefined
  cursor.expect('>')
  return encoding === undefined
    ? { kind: 'tensor', shape, element }
    : { kind: 'tensor', shape, element, encoding }
}

function readElement(reader: Reader): string {
  const { cursor } = reader
  if (cursor.peek() === bang) {
    const type = readDialectType(reader)
    return type.kind === 'named' ? type.text : cursor.fail('expected the type of an element')
  }
  const start = cursor.offset
  const name = cursor.name()
  if (isElement.test(name)) return name
  if (name !== 'complex') return cursor.fail('expected the type of an element', start)
  cursor.expect('<')
  const part = cursor.name()
  if (!isElement.test(part)) cursor.fail('expected the type of a complex number, such as complex<f32>', start)
  cursor.expect('>')
  return `complex<${part}>`
}

/** So many types inside types are looked at: aliases can make a type of 2^100 parts from a short text. */
const most = 10_000
/** So many are written in a message. */
const mostWritten = 50

/** A type as MLIR writes it; what nests in it is left out where that is long. */
export function typeText(type: Type): string {
  let left = mostWritten
  const textOf = (type: Type): string => {
    if (left-- <= 0) return '...'
    switch (type.kind) {
      case 'tensor':
        return tensorText(type)
      case 'tuple':
        return `tuple<${listText(type.types)}>`
      case 'function': {
        const { inputs, results } = type
        const isPlain = results.length === 1 && results[0]!.kind !== 'function'
        return `(${listText(inputs)}) -> ${isPlain ? listText(results) : `(${listText(results)})`}`
      }
      case 'named':
        return type.text
    }
  }
  const listText = (types: readonly Type[]): string => {
    const shown = types.slice(0, mostWritten).map(textOf)
    return (shown.length < types.length ? [...shown, '...'] : shown).join(', ')
  }
  return textOf(type)
}

const tensorText = ({ shape, element, encoding }: TensorType): string =>
  `tensor<${shape.map((size) => `${size ?? '?'}x`).join('')}${element}${encoding === undefined ? '' : ', ...'}>`

/** Whether two types are the same; what stands after the element type of a tensor is not compared. */
export function sameType(first: Type, second: Type): boolean {
  let left = most
  const same = (a: Type, b: Type): boolean => {
    if (a === b) return true
    if (left-- <= 0) return false
    if (a.kind === 'tensor' && b.kind === 'tensor') {
      return a.element === b.element && sameItems(a.shape, b.shape, (x, y) => x === y)
    }
    if (a.kind === 'tuple' && b.kind === 'tuple') return sameItems(a.types, b.types, same)
    if (a.kind === 'function' && b.kind === 'function') {
      return sameItems(a.inputs, b.inputs, same) && sameItems(a.results, b.results, same)
    }
    return a.kind === 'named' && b.kind === 'named' && a.text === b.text
  }
  return same(first, second)
}

const sameItems = <T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean =>
  a.length === b.length && a.every((item, i) => same(item, b[i]!))
