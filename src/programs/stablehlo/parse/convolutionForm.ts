import type { Attribute } from '../module.js'
import { readConvolutionNumbers } from './convolutionNumbers.js'
import { readIntegers } from './dialectAttributes.js'
import { readOperands } from './draft.js'
import { type Form, readAttributes, set, types } from './formParts.js'
import type { Reader } from './reader.js'

/** The lists of `window = {...}` and their names in the generic spelling. */
const lists: Readonly<Record<string, string>> = {
  stride: 'window_strides',
  lhs_dilate: 'lhs_dilation',
  rhs_dilate: 'rhs_dilation',
  reverse: 'window_reversal',
}

/** `(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], ...} {...} : types` */
export const convolution: Form = (reader, draft) => {
  const { cursor } = reader
  cursor.expect('(')
  readOperands(reader, draft)
  cursor.expectWord('dim_numbers')
  cursor.expect('=')
  set(reader, draft, 'dimension_numbers', readConvolutionNumbers(reader, `${draft.dialect}.conv`))
  cursor.expect(',')
  cursor.expectWord('window')
  cursor.expect('=')
  cursor.expect('{')
  cursor.list('}', () => {
    const at = cursor.here()
    const word = cursor.name()
    cursor.expect('=')
    if (word === 'pad') {
      set(reader, draft, 'padding', readPadding(reader))
    } else if (!Object.hasOwn(lists, word)) {
      cursor.fail(`a window has no '${word}'`, at)
    } else {
      const { values, element } = readIntegers(reader)
      set(reader, draft, lists[word]!, {
        kind: 'denseArray',
        element: word === 'reverse' ? 'i1' : element,
        values,
      })
    }
  })
  readAttributes(reader, draft)
  types(reader, draft)
}

/** `[[0, 0], [1, 2]]` as the constant that the generic spelling has: 64-bit integers, two for every spatial dimension. */
function readPadding(reader: Reader): Attribute {
  const { cursor } = reader
  const values: number[] = []
  cursor.expect('[')
  cursor.list(']', () => {
    const at = cursor.here()
    const pair = readIntegers(reader).values
    if (pair.length !== 2) cursor.fail('expected two numbers, the padding below and above', at)
    values.push(...pair)
  })
  const splat = values.length > 0 && values.every((value) => value === values[0])
  const stored = BigInt64Array.from(splat ? values.slice(0, 1) : values, BigInt)
  const bytes = new Uint8Array(8 * stored.length)
  const view = new DataView(bytes.buffer)
  stored.forEach((value, i) => {
    view.setBigInt64(8 * i, value, true)
  })
  const type = { kind: 'tensor', shape: [values.length / 2, 2], element: 'i64' } as const
  return { kind: 'denseElements', type, splat, bytes }
}
