import type { Operation, Region, TensorType, Value } from '../module.js'
import { readIntegers } from './dialectAttributes.js'
import type { Draft } from './draft.js'
import { readOperands, readValue } from './draft.js'
import { type Form, integer, pairwise, readAttributes, set, types } from './formParts.js'
import { unknownLocation } from './locations.js'
import type { Reader } from './reader.js'
import { readArgument, readRegion } from './regions.js'

/**
 * `(%0 init: %1), (%2 init: %3) across dimensions = [1] : types reducer(%a: type, %b: type) (%c: type, %d: type) {...}`, or
 * `(%0 init: %1) applies stablehlo.add across dimensions = [1] : types`.
 */
export const reduce: Form = (reader, draft) => {
  const { cursor } = reader
  const initial: Value[] = []
  do {
    cursor.expect('(')
    draft.operands.push(readValue(reader))
    cursor.expectWord('init')
    cursor.expect(':')
    initial.push(readValue(reader))
    cursor.expect(')')
  } while (cursor.accept(','))
  const inputs = draft.operands.length
  draft.operands.push(...initial)
  const applied = cursor.acceptWord('applies') ? cursor.expectName('an operation') : undefined
  cursor.expectWord('across')
  cursor.expectWord('dimensions')
  cursor.expect('=')
  set(reader, draft, 'dimensions', readIntegers(reader))
  readAttributes(reader, draft)
  types(reader, draft)
  if (applied === undefined) {
    cursor.expectWord('reducer')
    draft.regions.push(readReducer(reader, inputs))
  } else {
    draft.location = reader.location()
    draft.regions.push(reducerOf(reader, draft, applied))
  }
}

/** The body of a reduction: pairs of arguments, one for every input, and a region. All first ones come first in the generic form. */
function readReducer(reader: Reader, inputs: number): Region {
  const { cursor } = reader
  const left: Value[] = []
  const right: Value[] = []
  for (let i = 0; i < inputs; i++) {
    cursor.expect('(')
    left.push(readArgument(reader))
    cursor.expect(',')
    right.push(readArgument(reader))
    cursor.expect(')')
  }
  return readRegion(reader, [...left, ...right])
}

/** The region that `applies` stands for: the operation on two scalars, and its return. */
function reducerOf(reader: Reader, draft: Draft, name: string): Region {
  const { operands, at } = draft
  const input = operands[0]!.type
  if (operands.length !== 2 || input.kind !== 'tensor') {
    return reader.cursor.fail("'applies' is for the reduction of one tensor", at)
  }
  const type: TensorType = { kind: 'tensor', shape: [], element: input.element }
  const position = reader.position(at)
  const location = draft.location ?? unknownLocation
  const [lhs, rhs, result] = ['lhs', 'rhs', 'result'].map((name): Value => ({ name, type })) as [
    Value,
    Value,
    Value,
  ]
  const made = { attributes: {}, regions: [], location, position }
  const operations: Operation[] = [
    { name, operands: [lhs, rhs], results: [result], ...made },
    { name: `${draft.dialect}.return`, operands: [result], results: [], ...made },
  ]
  return { blocks: [{ arguments: [lhs, rhs], operations }] }
}

/** `(%iterArg = %0, %iterArg_1 = %1) : types attributes {...} cond {...} do {...}` */
export const whileLoop: Form = (reader, draft) => {
  const { cursor } = reader
  const names: string[] = []
  cursor.expect('(')
  cursor.list(')', () => {
    if (cursor.peek() !== 37) cursor.fail('expected the name of an argument')
    cursor.offset++
    names.push(cursor.suffix('the name of an argument'))
    cursor.expect('=')
    draft.operands.push(readValue(reader))
  })
  pairwise(reader, draft)
  const region = (): Region =>
    readRegion(
      reader,
      names.map((name, i): Value => ({ name, type: draft.resultTypes[i]! })),
    )
  if (cursor.acceptWord('attributes')) readAttributes(reader, draft)
  cursor.expectWord('cond')
  draft.regions.push(region())
  cursor.expectWord('do')
  draft.regions.push(region())
}

/** `(%0, %1) inits(%2) dimension=0 attributes {...} { ^bb0(...): ... } : types` */
export const scan: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect('(')
  readOperands(reader, draft)
  const inputs = draft.operands.length
  cursor.expectWord('inits')
  cursor.expect('(')
  readOperands(reader, draft)
  cursor.expectWord('dimension')
  cursor.expect('=')
  set(reader, draft, 'dimension', integer('i64')(reader, draft))
  const sizes = [inputs, draft.operands.length - inputs]
  set(reader, draft, 'operandSegmentSizes', { kind: 'denseArray', element: 'i32', values: sizes })
  if (cursor.acceptWord('attributes')) readAttributes(reader, draft)
  draft.regions.push(readRegion(reader))
  types(reader, draft)
  const results = [draft.resultTypes.length - sizes[1]!, sizes[1]!]
  set(reader, draft, 'resultSegmentSizes', { kind: 'denseArray', element: 'i32', values: results })
}
