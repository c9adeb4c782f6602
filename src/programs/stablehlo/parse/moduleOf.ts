import type { Attribute, Attributes, Func, Module, Operation, Value } from '../module.js'
import { unknownLocation } from './locations.js'
import { parseError } from './parseError.js'
import type { Reader } from './reader.js'

/** The module that the operations of a text make: the one that they are, or else one without a name around them. */
export function moduleOf(reader: Reader, operations: readonly Operation[]): Module {
  const [first] = operations
  if (operations.length === 1 && first?.name === 'builtin.module') {
    const { sym_name, ...attributes } = first.attributes
    const name = textOf(sym_name)
    const inside = first.regions.flatMap(({ blocks }) => blocks.flatMap((block) => block.operations))
    return { name, attributes, ...split(reader, inside), location: first.location }
  }
  return { name: undefined, attributes: {}, ...split(reader, operations), location: unknownLocation }
}

function split(
  reader: Reader,
  operations: readonly Operation[],
): { readonly functions: ReadonlyMap<string, Func>; readonly operations: readonly Operation[] } {
  const functions = new Map<string, Func>()
  const others: Operation[] = []
  for (const operation of operations) {
    if (operation.name !== 'func.func') {
      others.push(operation)
      continue
    }
    const func = funcOf(reader, operation)
    if (functions.has(func.name)) throw failure(reader, operation, `function defined twice [@${func.name}]`)
    functions.set(func.name, func)
  }
  return { functions, operations: others }
}

function funcOf(reader: Reader, operation: Operation): Func {
  const { sym_name, sym_visibility, function_type, arg_attrs, res_attrs, ...attributes } =
    operation.attributes
  const name = textOf(sym_name)
  const [body, ...more] = operation.regions
  if (name === undefined || body === undefined || more.length > 0) {
    throw failure(reader, operation, 'function without a name or a body')
  }
  if (function_type?.kind !== 'type' || function_type.type.kind !== 'function') {
    throw failure(reader, operation, `function without its type [@${name}]`)
  }
  const { type } = function_type
  const parameters: readonly Value[] = body.blocks[0]?.arguments ?? []
  if (body.blocks.length > 0 && parameters.length !== type.inputs.length) {
    throw failure(
      reader,
      operation,
      `function of ${type.inputs.length} arguments with ${parameters.length} in its body [@${name}]`,
    )
  }
  return {
    name,
    visibility:
      textOf(sym_visibility) === 'private' || textOf(sym_visibility) === 'nested' ? 'private' : 'public',
    type,
    body,
    argumentAttributes: recordsOf(arg_attrs, type.inputs.length),
    resultAttributes: recordsOf(res_attrs, type.results.length),
    attributes,
    location: operation.location,
    position: operation.position,
  }
}

const textOf = (attribute: Attribute | undefined): string | undefined =>
  attribute?.kind === 'string' ? attribute.value : undefined

/** One record each, empty where the list has none. */
function recordsOf(attribute: Attribute | undefined, count: number): readonly Attributes[] {
  const values = attribute?.kind === 'array' ? attribute.values : []
  return Array.from({ length: count }, (_, i) => {
    const value = values[i]
    return value?.kind === 'dictionary' ? value.entries : {}
  })
}

/** The error that names where an operation stands. */
function failure(reader: Reader, { position }: Operation, problem: string): Error {
  const { text } = reader.cursor
  let start = 0
  for (let line = 1; line < position.line; line++) start = text.indexOf('\n', start) + 1
  return parseError(text, start + position.column - 1, problem)
}
