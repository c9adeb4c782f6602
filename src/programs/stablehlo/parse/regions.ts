import type { Block, Operation, Region, Type, Value } from '../module.js'
import { define } from './draft.js'
import type { Reader } from './reader.js'
import { readType } from './readType.js'

/** A region in braces. `first` are the arguments of its first block, where they were written before it. */
export function readRegion(reader: Reader, first?: readonly Value[]): Region {
  const { cursor, scope } = reader
  cursor.expect('{')
  const outer = scope.names
  scope.names = []
  const blocks: Block[] = []
  cursor.deeper(() => {
    if (first !== undefined || (cursor.peek() !== 94 && cursor.peek() !== 125)) {
      blocks.push(readBlock(reader, first ?? []))
    }
    while (cursor.peek() === 94) {
      cursor.offset++
      cursor.suffix('the name of a block')
      const values: Value[] = []
      if (cursor.accept('(')) cursor.list(')', () => values.push(readArgument(reader)))
      cursor.expect(':')
      blocks.push(readBlock(reader, values))
    }
  })
  cursor.expect('}')
  for (const name of scope.names) scope.values.delete(name)
  scope.names = outer
  return { blocks }
}

/** Operations up to the next block or the end of the region. */
function readBlock(reader: Reader, values: readonly Value[]): Block {
  const { cursor } = reader
  for (const value of values) define(reader, value, cursor.offset)
  const operations: Operation[] = []
  for (let code = cursor.peek(); code !== 125 && code !== 94; code = cursor.peek()) {
    if (Number.isNaN(code)) cursor.fail("expected an operation or '}'")
    operations.push(reader.operation())
  }
  return { arguments: values, operations }
}

/** `%arg0: type loc(...)`; it is not yet known by its name. */
export function readArgument(reader: Reader): Value {
  const { cursor } = reader
  if (cursor.peek() !== 37) cursor.fail('expected an argument, such as %arg0')
  cursor.offset++
  const name = cursor.suffix('the name of an argument')
  cursor.expect(':')
  const type: Type = readType(reader)
  const location = reader.location()
  return location === undefined ? { name, type } : { name, type, location }
}
