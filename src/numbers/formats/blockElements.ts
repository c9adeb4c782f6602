import type { BlockElement, ElementFacts } from './blockFormats.js'
import { format } from './catalogue.js'
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

/**
 * Rounds scaled values to element codes at random, each by its word: to the neighbour away from zero where the word is below the
 * first 32 binary digits of the value's place between its neighbours, as `encode` does. Saturating; a NaN gets any code.
 */
export function drawElements(
  values: Float32Array,
  element: ElementFacts,
  drawn: Uint32Array,
  codes: Uint8Array,
): void {
  if (element.name === 'int8') drawInt8(values, drawn, codes)
  else drawFloats(values, element.name, drawn, codes)
}

function drawInt8(values: Float32Array, drawn: Uint32Array, codes: Uint8Array): void {
  for (let i = 0; i < values.length; i++) {
    const steps = Math.abs(values[i]!) * 64
    const lower = Math.floor(steps)
    const magnitude = Math.min(127, lower + (drawn[i]! < Math.floor((steps - lower) * 2 ** 32) ? 1 : 0))
    codes[i] = values[i]! < 0 ? -magnitude : magnitude
  }
}

function drawFloats(
  values: Float32Array,
  element: Exclude<BlockElement, 'int8'>,
  drawn: Uint32Array,
  codes: Uint8Array,
): void {
  const { mantissaBits, bias, minNormal, max, maxCode, signMask } = format(element)
  const words = new Int32Array(values.buffer, values.byteOffset, values.length)
  const shift = 23 - mantissaBits
  const rebias = (127 - bias) * 2 ** mantissaBits
  const subnormalScale = 2 ** (bias - 1 + mantissaBits)
  for (let i = 0; i < values.length; i++) {
    const word = drawn[i]!
    const bits = words[i]!
    const sign = bits < 0 ? signMask : 0
    const magnitude = Math.abs(values[i]!)
    if (magnitude >= minNormal) {
      if (magnitude < max) {
        const lower = ((bits & 0x7fffffff) >>> shift) - rebias
        codes[i] = sign + lower + (word < (bits << (32 - shift)) >>> 0 ? 1 : 0)
      } else {
        codes[i] = sign + maxCode
      }
    } else {
      const scaled = magnitude * subnormalScale
      const lower = Math.floor(scaled)
      codes[i] = sign + lower + (word < Math.floor((scaled - lower) * 2 ** 32) ? 1 : 0)
    }
  }
}
