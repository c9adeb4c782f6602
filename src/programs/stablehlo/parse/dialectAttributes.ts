import type { Attribute, Attributes, DialectAttribute } from '../module.js'
import { readConvolutionNumbers } from './convolutionNumbers.js'
import type { Reader } from './reader.js'

/** Dialects of operations whose attributes are read field by field. */
const isRead = /^(?:stablehlo|chlo|mhlo)(?:$|\.)/

type Kind = 'list' | 'integer' | 'float'

/** The fields of these attributes in the order in which MLIR writes them; it leaves out those that are empty or 0. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  dot: {
    lhs_batching_dimensions: 'list',
    rhs_batching_dimensions: 'list',
    lhs_contracting_dimensions: 'list',
    rhs_contracting_dimensions: 'list',
  },
  ragged_dot: {
    lhs_batching_dimensions: 'list',
    rhs_batching_dimensions: 'list',
    lhs_contracting_dimensions: 'list',
    rhs_contracting_dimensions: 'list',
    lhs_ragged_dimensions: 'list',
    rhs_group_dimensions: 'list',
  },
  gather: {
    offset_dims: 'list',
    collapsed_slice_dims: 'list',
    operand_batching_dims: 'list',
    start_indices_batching_dims: 'list',
    start_index_map: 'list',
    index_vector_dim: 'integer',
  },
  scatter: {
    update_window_dims: 'list',
    inserted_window_dims: 'list',
    input_batching_dims: 'list',
    scatter_indices_batching_dims: 'list',
    scatter_dims_to_operand_dims: 'list',
    index_vector_dim: 'integer',
  },
  result_accuracy: { atol: 'float', rtol: 'float', ulps: 'integer' },
}

const zeroOf = (kind: Kind): Attribute => {
  if (kind === 'list') return { kind: 'denseArray', element: 'i64', values: [] }
  return kind === 'integer' ? { kind, value: 0, type: 'i64' } : { kind, value: 0, type: 'f64' }
}

/** What stands in angle brackets behind `#name`, the cursor being at them. */
export function readDialectAttribute(reader: Reader, name: string): DialectAttribute {
  const { cursor } = reader
  if (!isRead.test(name)) return { kind: 'dialect', name, text: cursor.balanced() }
  if (!name.includes('.')) return readKeyword(reader, name)
  if (name.endsWith('.conv')) {
    cursor.expect('<')
    const attribute = readConvolutionNumbers(reader, name)
    cursor.expect('>')
    return attribute
  }
  if (!isStruct(reader, name)) return { kind: 'dialect', name, text: cursor.balanced() }
  if (name.endsWith('.type_extensions')) {
    // Older spelling of bounds.
    const text = cursor.balanced().replace(/^bounds\s*=\s*\[(.*)\]$/s, '$1')
    return { kind: 'dialect', name: 'stablehlo.bounds', text }
  }
  const start = cursor.here() + 1
  cursor.expect('<')
  const fields = readFields(reader, '>')
  if (fieldsOf[mnemonicOf(name)] !== undefined) return struct(name, fields)
  return { kind: 'dialect', name, text: cursor.text.slice(start, cursor.offset - 1).trim(), entries: fields }
}

/** Whether fields stand in the angle brackets at the cursor: `<name = ...`. */
function isStruct({ cursor }: Reader, name: string): boolean {
  if (fieldsOf[mnemonicOf(name)] !== undefined) return true
  const start = cursor.offset
  cursor.expect('<')
  const found = cursor.name() !== '' && cursor.accept('=')
  cursor.offset = start
  return found
}

const mnemonicOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** `#stablehlo<comparison_direction LT>`, the name being that of the dialect. */
function readKeyword(reader: Reader, dialect: string): DialectAttribute {
  const { cursor } = reader
  cursor.expect('<')
  const name = `${dialect}.${cursor.expectName('the name of an attribute')}`
  if (cursor.peek() === 60) {
    const attribute = readDialectAttribute(reader, name)
    cursor.expect('>')
    return attribute
  }
  const text = cursor.name()
  cursor.expect('>')
  return { kind: 'dialect', name, text }
}

/** An attribute of fields that are known, those that are left out in the text among them. */
export function struct(name: string, given: Attributes): DialectAttribute {
  const fields = fieldsOf[mnemonicOf(name)] ?? {}
  const entries: Record<string, Attribute> = {}
  const written: Record<string, Attribute> = {}
  for (const field in fields) {
    const zero = zeroOf(fields[field]!)
    const value = given[field] ?? zero
    entries[field] = value
    if (valueText(value) !== valueText(zero)) written[field] = value
  }
  for (const field in given) {
    if (!Object.hasOwn(fields, field)) entries[field] = written[field] = given[field]!
  }
  return { kind: 'dialect', name, text: textOf(written), entries }
}

const textOf = (entries: Attributes): string =>
  Object.entries(entries)
    .map(([field, value]) => `${field} = ${valueText(value)}`)
    .join(', ')

function valueText(value: Attribute): string {
  if (value.kind === 'denseArray') return `[${value.values.join(', ')}]`
  if (value.kind === 'integer' || value.kind === 'float') return String(value.value)
  // Nested fields are not written out: aliases can make them 2^100 from a short text.
  return value.kind === 'dialect' && value.entries === undefined ? `#${value.name}<${value.text}>` : '...'
}

/** `name = value, ...` up to the closing bracket; values are integers, lists of them, and whatever else is an attribute. */
export function readFields(reader: Reader, close: string): Attributes {
  const { cursor } = reader
  const fields: Record<string, Attribute> = {}
  cursor.deeper(() =>
    cursor.list(close, () => {
      const at = cursor.here()
      const field = cursor.expectName('the name of a field')
      if (Object.hasOwn(fields, field) || field === '__proto__') {
        cursor.fail(`field given twice [${field}]`, at)
      }
      cursor.expect('=')
      fields[field] = readField(reader)
    }),
  )
  return fields
}

function readField(reader: Reader): Attribute {
  const { cursor } = reader
  const start = cursor.here()
  if (cursor.accept('[')) {
    const first = cursor.peek()
    if (first === 60) return readAxes(reader)
    cursor.offset = start
    return first === 35 ? reader.attribute() : readIntegers(reader)
  }
  if (!cursor.accept('(')) return reader.attribute()
  // A part of an axis of a mesh, `(4)2`: the size before it and its own.
  const before = cursor.count('a size')
  cursor.expect(')')
  return { kind: 'denseArray', element: 'i64', values: [before, cursor.count('a size')] }
}

/** `<name = "x", size = 2>, ...]`: the axes of a mesh, which stand without their name. */
function readAxes(reader: Reader): Attribute {
  const values: Attribute[] = []
  reader.cursor.list(']', () => values.push(readDialectAttribute(reader, 'stablehlo.mesh_axis')))
  return { kind: 'array', values }
}

/** `[0, 1]` as a dense array; `[false, true]` as one of booleans. */
export function readIntegers(reader: Reader): Attribute & { kind: 'denseArray' } {
  const { cursor } = reader
  const values: number[] = []
  let element = 'i64'
  cursor.expect('[')
  cursor.list(']', () => {
    if (cursor.acceptWord('true')) {
      values.push(1)
    } else if (cursor.acceptWord('false')) {
      values.push(0)
    } else {
      values.push(cursor.integer('an integer'))
      return
    }
    element = 'i1'
  })
  return { kind: 'denseArray', element, values }
}
