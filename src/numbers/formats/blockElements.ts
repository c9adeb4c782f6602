import type { BlockElement } from './blockFormats.js'
import { decodeTable } from './decode.js'
import { encodeArray } from './encodeArray.js'

const saturating = { saturate: true }

/** Rounds scaled values to element codes: nearest even, saturating; a NaN gets any code. */
export function encodeElements(values: Float32Array, element: BlockElement, codes: Uint8Array): void {
  if (element === 'int8') encodeInt8(values, codes)
  else encodeArray(values, element, saturating, codes)
}

/** Adding and subtracting it rounds a float64 below 2^51 to an integer, ties to even. */
const integerShift = 1.5 * 2 ** 52

function encodeInt8(values: Float32Array, codes: Uint8Array): void {
  for (let i = 0; i < values.length; i++) {
    const steps = values[i]! * 64 + integerShift - integerShift
    codes[i] = steps > 127 ? 127 : steps < -127 ? -127 : steps
  }
}

/** The value of every element code; as long as there are codes. */
export function elementValues(element: BlockElement): Float32Array {
  if (element !== 'int8') return decodeTable(element)
  return Float32Array.from({ length: 256 }, (_, code) => ((code << 24) >> 24) / 64)
}
