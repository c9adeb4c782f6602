import { decode } from '../../../numbers/formats/index.js'
import type { ElementType, FloatAttribute, IntegerAttribute } from '../module.js'
import type { Cursor } from './cursor.js'
import { type ElementLayout, elementLayout } from './elementLayout.js'
import { numberText } from './numberText.js'
import type { Reader } from './reader.js'

/** A number with its type, `1 : i32`, `0x7FC00000 : f32`; without one an integer is of 64 bits, a decimal fraction too. */
export function readNumber(reader: Reader): IntegerAttribute | FloatAttribute {
  const { cursor } = reader
  const text = numberText(cursor)
  const type = cursor.accept(':')
    ? cursor.expectName('the type of a number')
    : /[.e]/i.test(text) && !text.includes('x')
      ? 'f64'
      : 'i64'
  return numberOf(cursor, text, type)
}

/** A number whose type was given before it. */
export function readNumberOf(reader: Reader, type: ElementType): IntegerAttribute | FloatAttribute {
  return numberOf(reader.cursor, numberText(reader.cursor), type)
}

function numberOf(cursor: Cursor, text: string, type: ElementType): IntegerAttribute | FloatAttribute {
  const layout = elementLayout(type)
  if (layout === undefined || layout.kind === 'complex') {
    return cursor.fail(`expected the type of a number [${type}]`)
  }
  const isHex = text.includes('x')
  if (layout.kind === 'integer') {
    if (!isHex && /[.eE]/.test(text)) cursor.fail(`expected an integer [${text}]`)
    return { kind: 'integer', value: integerOf(text), type }
  }
  if (!isHex) return { kind: 'float', value: rounded(Number(text), layout), type }
  const code = BigInt(text.replace('-', ''))
  if (text.startsWith('-') || code >> BigInt(layout.bits) !== 0n) {
    cursor.fail(`bit pattern outside ${type} [${text}]`)
  }
  return { kind: 'float', value: valueOf(code, layout), type }
}

function integerOf(text: string): number | bigint {
  const isNegative = text.startsWith('-')
  const magnitude = isNegative ? text.slice(1) : text
  const value = Number(magnitude)
  if (Number.isSafeInteger(value)) return isNegative && value !== 0 ? -value : value
  return isNegative ? -BigInt(magnitude) : BigInt(magnitude)
}

type FloatLayout = ElementLayout & { kind: 'float' }

/** A number as its type holds it. */
function rounded(value: number, { bits, format, encode }: FloatLayout): number {
  if (format !== undefined) return decode(encode!(value), format)
  return bits === 32 ? Math.fround(value) : value
}

function valueOf(code: bigint, { bits, format }: FloatLayout): number {
  if (format !== undefined) return decode(Number(code), format)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits === 32 ? code << 32n : code)
  return bits === 32 ? view.getFloat32(0) : view.getFloat64(0)
}
