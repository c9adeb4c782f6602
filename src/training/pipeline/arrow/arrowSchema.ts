import type { FlatTable, Refuse } from './flatBuffer.js'

/** How the values of a column lie in its buffers. */
export type ArrowType =
  | { readonly kind: 'null' }
  | { readonly kind: 'fixed'; readonly bits: number }
  | { readonly kind: 'text' | 'bytes' | 'list'; readonly wide: boolean }
  | { readonly kind: 'textView' | 'bytesView' }
  | { readonly kind: 'struct' }
  | { readonly kind: 'map' }
  | { readonly kind: 'fixedList'; readonly size: number }
  | { readonly kind: 'union'; readonly dense: boolean; readonly ids: readonly number[] }

/** A column, or a part of one. */
export interface ArrowField {
  readonly name: string
  readonly type: ArrowType
  readonly children: readonly ArrowField[]
  /** Where the values are in a dictionary: which one, and the integers that stand for them. */
  readonly dictionary: { readonly id: number; readonly bits: number; readonly signed: boolean } | undefined
}

/** Deeper than this nothing is nested that people make. */
const maxDepth = 64

/** The names of types, by their number in the format. */
const typeNames =
  'none Null Int FloatingPoint Binary Utf8 Bool Decimal Date Time Timestamp Interval List Struct Union FixedSizeBinary FixedSizeList Map Duration LargeBinary LargeUtf8 LargeList RunEndEncoded BinaryView Utf8View ListView LargeListView'.split(
    ' ',
  )

/**
 * The columns that a schema describes.
 *
 * Source    https://github.com/apache/arrow/blob/main/format/Schema.fbs
 */
export function readSchema(schema: FlatTable, refuse: Refuse): readonly ArrowField[] {
  if (schema.int16(0, 0) !== 0) return refuse('big-endian')
  const fields = schema.tables(1).map((field) => readField(field, refuse, 1))
  checkNames(fields, 'columns', refuse)
  schema.checkPairs(2)
  schema.elements(3, 8)
  return fields
}

function readField(field: FlatTable, refuse: Refuse, depth: number): ArrowField {
  if (depth > maxDepth) return refuse(`nested deeper than ${maxDepth} levels`)
  const name = field.text(0) ?? refuse('a column without a name')
  field.checkPairs(6)
  field.uint8(1, 0)
  const children = field.tables(5).map((child) => readField(child, refuse, depth + 1))
  const type = field.table(3)
  const number = field.uint8(2, 0)
  if (type === undefined) return refuse(`a column without a type, ${name.slice(0, 50)}`)
  const known = readType(number, type, refuse)
  if (known === undefined) {
    return refuse(`a type that is not read, ${name.slice(0, 50)}: ${typeNames[number] ?? number}`)
  }
  checkChildren(name, known, children, refuse)
  return { name, type: known, children, dictionary: readDictionary(field.table(4), refuse) }
}

function readDictionary(encoding: FlatTable | undefined, refuse: Refuse): ArrowField['dictionary'] {
  if (encoding === undefined) return undefined
  const index = encoding.table(1)
  // What is not needed has its place too.
  encoding.uint8(2, 0)
  encoding.int16(3, 0)
  // The format lets it be left out, for 32 signed bits; nobody writes such a file, and pyarrow reads none.
  if (index === undefined) return refuse('a dictionary without a type of its numbers')
  const [bits, signed] = [index.int32(0, 0), index.uint8(1, 0) !== 0]
  if (![8, 16, 32].includes(bits)) return refuse(`a dictionary's numbers of ${bits} bits`)
  return { id: encoding.int64(0, 0), bits, signed }
}

function readType(number: number, type: FlatTable, refuse: Refuse): ArrowType | undefined {
  const fixed = (bits: number | undefined): ArrowType =>
    bits === undefined ? refuse(`a ${typeNames[number]} of no width that there is`) : { kind: 'fixed', bits }
  const oneOf = (value: number, widths: readonly number[]): number | undefined =>
    widths.includes(value) ? value : undefined
  const unit = (otherwise: number, widths: readonly number[]): ArrowType =>
    fixed(widths[type.int16(0, otherwise)])
  switch (typeNames[number]) {
    case 'Null':
      return { kind: 'null' }
    case 'Int':
      type.uint8(1, 0)
      return fixed(oneOf(type.int32(0, 0), [8, 16, 32, 64]))
    case 'FloatingPoint':
      return unit(0, [16, 32, 64])
    case 'Bool':
      return fixed(1)
    case 'Decimal':
      type.int32(0, 0)
      type.int32(1, 0)
      return fixed(oneOf(type.int32(2, 128), [32, 64, 128, 256]))
    case 'Date':
      return unit(1, [32, 64])
    case 'Time': {
      const width = [32, 32, 64, 64][type.int16(0, 1)]
      return fixed(type.int32(1, 32) === width ? width : undefined)
    }
    case 'Timestamp':
      type.checkText(1)
      return unit(0, [64, 64, 64, 64])
    case 'Duration':
      return unit(1, [64, 64, 64, 64])
    case 'Interval':
      return unit(0, [32, 64, 128])
    case 'FixedSizeBinary': {
      const width = type.int32(0, 0)
      return fixed(width >= 0 ? 8 * width : undefined)
    }
    case 'Utf8':
    case 'LargeUtf8':
      return { kind: 'text', wide: typeNames[number] === 'LargeUtf8' }
    case 'Binary':
    case 'LargeBinary':
      return { kind: 'bytes', wide: typeNames[number] === 'LargeBinary' }
    case 'List':
    case 'LargeList':
      return { kind: 'list', wide: typeNames[number] === 'LargeList' }
    case 'Utf8View':
      return { kind: 'textView' }
    case 'BinaryView':
      return { kind: 'bytesView' }
    case 'Struct':
      return { kind: 'struct' }
    case 'Map':
      type.uint8(0, 0)
      return { kind: 'map' }
    case 'FixedSizeList': {
      const size = type.int32(0, 0)
      return size >= 0 ? { kind: 'fixedList', size } : refuse(`lists of ${size} elements`)
    }
    case 'Union':
      return readUnion(type, refuse)
    default:
      return undefined
  }
}

function readUnion(type: FlatTable, refuse: Refuse): ArrowType {
  const mode = type.int16(0, 0)
  const ids = type.elements(1, 4).map((at) => type.buffer.int32(at))
  if (
    (mode !== 0 && mode !== 1) ||
    ids.some((id) => id < 0 || id > 127) ||
    new Set(ids).size !== ids.length
  ) {
    return refuse('a union of no kind that there is')
  }
  return { kind: 'union', dense: mode === 1, ids }
}

function checkChildren(name: string, type: ArrowType, children: readonly ArrowField[], refuse: Refuse): void {
  const count = children.length
  const wrong = (): never => refuse(`${count} parts of a ${type.kind}, ${name.slice(0, 50)}`)
  switch (type.kind) {
    case 'struct':
      checkNames(children, 'fields', refuse)
      break
    case 'union':
      if (type.ids.length !== 0 && type.ids.length !== count) wrong()
      break
    case 'list':
    case 'fixedList':
      if (count !== 1) wrong()
      break
    case 'map':
      if (count !== 1 || children[0]!.type.kind !== 'struct' || children[0]!.children.length !== 2) wrong()
      break
    default:
      if (count !== 0) wrong()
  }
}

function checkNames(fields: readonly ArrowField[], what: string, refuse: Refuse): void {
  const seen = new Set<string>()
  for (const { name } of fields) {
    if (seen.has(name)) refuse(`two ${what} of one name, ${name.slice(0, 50)}`)
    seen.add(name)
  }
}
