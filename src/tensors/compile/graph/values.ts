import { type DType, dtypeFacts, isFloat, isInteger } from '../../tensor/index.js'
import * as code from '../engine/opcodes.js'

/** Bytes of an element inside a program: every format of up to 16 bits is a float32 there, exactly; bool is a mask. Integers of fewer than 32 bits are int32. */
export function widthOf(dtype: DType): 4 | 8 {
  return dtype === 'float64' || dtype === 'int64' || dtype === 'uint64' ? 8 : 4
}

/** Whether the elements are integers narrower than 32 bits, which lie inside a program as int32. */
export function isNarrowInteger(dtype: DType): boolean {
  return isInteger(dtype) && dtypeFacts(dtype).bits < 32
}

/** Whether the elements are integers that the interpreter has no arithmetic of: operations on them go the way of `Tensor`. */
export function isOtherInteger(dtype: DType): boolean {
  return isInteger(dtype) && dtypeFacts(dtype).bits !== 32
}

/** Whether the elements are float32 numbers inside a program. */
export function isWord(dtype: DType): boolean {
  return isFloat(dtype) && dtype !== 'float64'
}

/**
 * How results of a dtype are rounded; undefined for formats without a NaN or without a zero: in loops an instruction of its own does
 * it, `laterRoundingOf`, and other operations go the way of `Tensor`.
 */
export function roundingOf(dtype: DType): number | undefined {
  if (dtype === 'float32') return code.EXACT
  if (dtype === 'bfloat16') return code.TO_BFLOAT16
  const low = dtypeFacts(dtype).format
  if (!low || low.nan === 'none' || !low.zero || !low.subnormals || !low.signed) return undefined
  return low.infinity ? code.TO_FORMAT : code.TO_TOP
}

/** The instruction that rounds float32 results to a dtype where operations have no rounding to it; undefined where they have. */
export function laterRoundingOf(dtype: DType, isProduct = false): number | undefined {
  const low = dtypeFacts(dtype).format
  if (!low || roundingOf(dtype) !== undefined) return undefined
  if (low.nan === 'none') return code.ROUND_FINITE
  return isProduct ? code.ROUND_POWER_PRODUCT : code.ROUND_POWER
}

/** Whether rounding to a dtype reads a record of its format. */
export function hasRecord(dtype: DType): boolean {
  if (laterRoundingOf(dtype) === code.ROUND_FINITE) return true
  return [code.TO_FORMAT, code.TO_TOP].includes(roundingOf(dtype) ?? code.EXACT)
}

/**
 * Whether operations of a dtype give NaNs of both signs: where there is no infinity, what is too large is a NaN with its sign.
 * Inside a program NaNs have no sign, so one that finds such a NaN gives up, and the function itself is asked.
 */
export function hasSignedNaN(dtype: DType): boolean {
  const low = dtypeFacts(dtype).format
  return low !== undefined && low.nan === 'top' && low.signed
}

/** The words that rounding to a format reads: see `toFormat`, `toTop` and `toFinite` in wasm/program/rounding.ts. */
export function formatWords(dtype: DType): Uint32Array {
  const { minNormal, precision, maxExponent, max, infinity, nan, negativeZero } = dtypeFacts(dtype).format!
  const words = new Uint32Array(5)
  const floats = new Float32Array(words.buffer)
  floats[0] = minNormal
  floats[1] = 2 ** maxExponent
  // Half of a binade more, and 24 - p binades.
  words[2] = ((24 - precision) << 23) | 0x400000
  if (infinity) {
    floats[3] = 2 ** (127 - maxExponent)
    floats[4] = 2 ** (maxExponent - 127)
  } else if (nan === 'none') {
    floats[3] = max
  } else {
    // What follows the largest value reaches 2^128 by it, and the largest value does not.
    floats[3] = (2 ** 128 / (max + 2 ** (maxExponent + 1 - precision))) * (1 + 2 ** -20)
    words[4] = negativeZero ? 0x80000000 : 0
  }
  return words
}

/** How the elements of a dtype come in and go out. */
export function edgeOf(dtype: DType): number {
  switch (dtype) {
    case 'float64':
      return code.FLOAT64
    case 'float32':
      return code.FLOAT32
    case 'bfloat16':
      return code.BFLOAT16
    case 'float16':
      return code.FLOAT16
    case 'bool':
      return code.BOOL
    default:
      return isFloat(dtype) ? code.BYTES : code.INTEGER
  }
}

/** Bytes of an element outside of a program, of those formats whose elements loops read and write as they are there. */
export function bytesOutside(dtype: DType): 1 | 2 | undefined {
  const kind = edgeOf(dtype)
  if (kind === code.BFLOAT16 || kind === code.FLOAT16) return 2
  return kind === code.BYTES ? 1 : undefined
}
