import type { DenseElementsAttribute, TensorType } from '../module.js'
import type { Cursor } from './cursor.js'
import { type ElementLayout, elementLayout } from './elementLayout.js'
import { numberText } from './numberText.js'
import { typeText } from './readType.js'

const minus = 45
const opening = 91

/** The elements between `<` and `>` of `dense<...>`: a splat, nested lists or one hex string; the cursor is at the first of them. */
export function readElements(
  cursor: Cursor,
  end: number,
  type: TensorType,
  typeOffset: number,
): DenseElementsAttribute {
  const layout = layoutOf(cursor, type, typeOffset)
  const count = elementCount(type, cursor, typeOffset)
  const code = cursor.peek()
  if (cursor.offset === end) {
    if (count !== 0) cursor.fail(`no elements for a constant of ${count} [${typeText(type)}]`)
    return { kind: 'denseElements', type, splat: false, bytes: new Uint8Array(0) }
  }
  if (code === 34) {
    const start = cursor.offset
    const text = cursor.string()
    if (cursor.here() !== end) cursor.fail("expected '>' after the elements")
    return hexElements(cursor, text, start, type)
  }
  const isSplat = code !== opening || type.shape.length === 0
  // A list has at least one character an element, so that no short text asks for much memory.
  if (!isSplat && count > end - cursor.offset) {
    cursor.fail(`too few elements for a constant of ${count} [${typeText(type)}]`)
  }
  const writer = new Writer(cursor, layout, type, isSplat ? 1 : count)
  if (isSplat) writer.element()
  else writer.list(0)
  if (cursor.here() !== end) cursor.fail("expected '>' after the elements")
  return ofBytes(type, writer.bytes, isSplat, count, layout.bytes)
}

/** How many elements a type of fixed shape has. */
function elementCount({ shape, element }: TensorType, cursor: Cursor, at: number): number {
  let count = 1
  for (const size of shape) {
    if (size === undefined) return cursor.fail('constant whose shape is not fixed', at)
    count *= size
  }
  if (shape.includes(0)) return 0
  return Number.isSafeInteger(count)
    ? count
    : cursor.fail(`constant of too many elements [${shape.join('x')}x${element}]`, at)
}

/** A constant with equal elements is a splat however it was written, as in MLIR. */
function ofBytes(
  type: TensorType,
  bytes: Uint8Array,
  splat: boolean,
  count: number,
  size: number,
): DenseElementsAttribute {
  if (count === 0) return { kind: 'denseElements', type, splat: false, bytes: bytes.subarray(0, 0) }
  if (splat) return { kind: 'denseElements', type, splat, bytes }
  for (let i = size; i < bytes.length; i++) {
    if (bytes[i] !== bytes[i - size]) return { kind: 'denseElements', type, splat: false, bytes }
  }
  return { kind: 'denseElements', type, splat: true, bytes: bytes.slice(0, size) }
}

/** The elements of `"0x..."`, the memory of the whole array or of one element, which is then a splat. */
export function hexElements(
  cursor: Cursor,
  text: string,
  at: number,
  type: TensorType,
): DenseElementsAttribute {
  const layout = layoutOf(cursor, type, at)
  const count = elementCount(type, cursor, at)
  const bytes = readHex(cursor, text, at)
  const whole = count * layout.bytes
  // A splat of true was 0xFF once.
  if (type.element === 'i1' && (bytes.length === whole || bytes.length === 1)) {
    bytes.forEach((byte, i) => {
      bytes[i] = byte === 0 ? 0 : 1
    })
  }
  if (bytes.length === whole) return ofBytes(type, bytes, false, count, layout.bytes)
  if (bytes.length === layout.bytes) return ofBytes(type, bytes, true, count, layout.bytes)
  if (type.element === 'i1' && bytes.length === Math.ceil(count / 8)) {
    // Eight to a byte, as MLIR had them until 2025.
    const bits = Uint8Array.from({ length: count }, (_, i) => (bytes[i >> 3]! >> (i & 7)) & 1)
    return ofBytes(type, bits, false, count, 1)
  }
  return cursor.fail(`hex string of ${bytes.length} bytes for a constant of ${whole} [${typeText(type)}]`, at)
}

const layoutOf = (cursor: Cursor, type: TensorType, at: number): ElementLayout =>
  elementLayout(type.element) ?? cursor.fail(`elements of this type are not read [${typeText(type)}]`, at)

/** The bytes of `0x` and an even number of hex digits. */
export function readHex(cursor: Cursor, text: string, at: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, text.length >> 1) - (text.startsWith('0x') ? 1 : 0))
  // Any digit that is none makes this negative.
  let checked = text.startsWith('0x') && text.length % 2 === 0 ? 0 : -1
  for (let i = 0; i < bytes.length; i++) {
    const byte = (digitOf(text.charCodeAt(2 * i + 2)) << 4) | digitOf(text.charCodeAt(2 * i + 3))
    checked |= byte
    bytes[i] = byte
  }
  return checked < 0 ? cursor.fail('expected a string of 0x and pairs of hex digits', at) : bytes
}

/** The value of a hex digit; -1 of another character. */
const digits = Int8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[0-9a-fA-F]/.test(char) ? Number.parseInt(char, 16) : -1
})

const digitOf = (code: number): number => digits[code] ?? -1

/** Writes literals, one after the other, as the bytes of a constant. */
class Writer {
  readonly bytes: Uint8Array
  private readonly view: DataView
  private offset = 0
  private readonly cursor: Cursor
  private readonly layout: ElementLayout
  private readonly type: TensorType

  constructor(cursor: Cursor, layout: ElementLayout, type: TensorType, count: number) {
    this.cursor = cursor
    this.layout = layout
    this.type = type
    this.bytes = new Uint8Array(count * layout.bytes)
    this.view = new DataView(this.bytes.buffer)
  }

  /** A list of the shape's sizes from an axis on. */
  list(axis: number): void {
    const { cursor, type } = this
    const { shape } = type
    const size = shape[axis]!
    const start = cursor.offset
    cursor.expect('[')
    let length = 0
    if (!cursor.accept(']')) {
      do {
        if (length++ === size) cursor.fail(`more than ${size} items in a list of [${typeText(type)}]`)
        if (axis + 1 === shape.length) this.element()
        else cursor.deeper(() => this.list(axis + 1))
      } while (cursor.accept(','))
      cursor.expect(']')
    }
    if (length !== size) cursor.fail(`list of ${length} where there are ${size} [${typeText(type)}]`, start)
  }

  element(): void {
    const { layout, cursor } = this
    if (layout.kind !== 'complex') {
      this.number(layout)
      return
    }
    cursor.expect('(')
    this.number(layout.part)
    cursor.expect(',')
    this.number(layout.part)
    cursor.expect(')')
  }

  private number(layout: ElementLayout): void {
    const { cursor, view, offset } = this
    if (offset + layout.bytes > this.bytes.length) {
      cursor.fail(`too many elements for [${typeText(this.type)}]`)
    }
    if (layout.kind === 'integer') writeInteger(view, offset, readInteger(cursor, layout), layout.bytes)
    else if (layout.kind === 'float') writeFloat(view, offset, cursor, layout)
    this.offset += layout.bytes
  }
}

function readInteger(cursor: Cursor, layout: ElementLayout & { kind: 'integer' }): number | bigint {
  const code = cursor.peek()
  const { bits } = layout
  if (code === 116 || code === 102) {
    const value = cursor.acceptWord('true') ? 1 : cursor.acceptWord('false') ? 0 : undefined
    if (value === undefined || bits !== 1) return cursor.fail(`expected an integer of ${bits} bits`)
    return value
  }
  const start = cursor.offset
  const text = numberText(cursor)
  if (/[.eE]/.test(text) && !text.includes('0x')) return cursor.fail('expected an integer', start)
  const isLong = text.length > 15
  const magnitude = code === minus ? text.slice(1) : text
  const value = isLong
    ? BigInt(magnitude) * (code === minus ? -1n : 1n)
    : Number(magnitude) * (code === minus ? -1 : 1)
  const lowest = layout.signed ? -(2 ** (bits - 1)) : 0
  const isHex = magnitude.startsWith('0x')
  const limit = layout.unsigned && (!layout.signed || isHex || bits === 1) ? 2 ** bits : 2 ** (bits - 1)
  // Powers of two are exact numbers, and compare exactly with integers of any size.
  if (value < lowest || value >= limit) return cursor.fail(`integer outside ${bits} bits [${text}]`, start)
  return value
}

/** Little-endian, two's complement. */
function writeInteger(view: DataView, offset: number, value: number | bigint, bytes: number): void {
  if (bytes === 4) {
    view.setInt32(offset, Number(value), true)
  } else if (bytes === 1) {
    view.setInt8(offset, Number(value))
  } else if (bytes === 8 && typeof value === 'number') {
    view.setInt32(offset, value, true)
    view.setInt32(offset + 4, Math.floor(value / 2 ** 32), true)
  } else {
    let rest = BigInt(value)
    for (let i = 0; i < bytes; i++, rest >>= 8n) view.setUint8(offset + i, Number(rest & 255n))
  }
}

function writeFloat(
  view: DataView,
  offset: number,
  cursor: Cursor,
  layout: ElementLayout & { kind: 'float' },
): void {
  const start = cursor.offset
  const text = numberText(cursor)
  const { bits, encode } = layout
  if (text.includes('x')) {
    const code = text.startsWith('-') ? -1n : BigInt(text)
    if (code < 0n || code >= 1n << BigInt(bits)) {
      cursor.fail(`bit pattern outside ${bits} bits [${text}]`, start)
    }
    for (let i = 0, rest = code; i < layout.bytes; i++, rest >>= 8n) {
      view.setUint8(offset + i, Number(rest & 255n))
    }
    return
  }
  const value = Number(text)
  if (bits === 64) view.setFloat64(offset, value, true)
  else if (bits === 32) view.setFloat32(offset, value, true)
  else if (layout.bytes === 2) view.setUint16(offset, encode!(value), true)
  else view.setUint8(offset, encode!(value))
}
