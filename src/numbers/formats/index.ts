// Formats of at most 16 bits: codes, their values, and the one rounding between float64 and a code.
// Read format.ts first (a format is a record of facts), then encode.ts, the reference of every cast.
export {
  type BlockElement,
  type BlockOptions,
  type BlockQuantized,
  type BlockScheme,
  blockElement,
  blockElements,
  type ElementFacts,
  type ScaleMode,
} from './blockFormats.js'
export type { BlockFactors, BlockKernel } from './blockKernel.js'
export type { FormatName } from './catalogue.js'
export { format, formatNames } from './catalogue.js'
export { compareCodes } from './compareCodes.js'
export { decode, decodeArray, decodeTable, isNaNCode } from './decode.js'
export type { CodeClass, CodeDescription } from './describe.js'
export { codeTable, describe } from './describe.js'
export { type BlockValues, blockValues, dequantizeBlocks } from './dequantizeBlocks.js'
export { encode, floorLog2 } from './encode.js'
export { encodeArray } from './encodeArray.js'
export { encoder } from './encoder.js'
export type { FloatFormat, FormatFacts, NaNCodes } from './format.js'
export { defineFormat } from './format.js'
export type { FormatArrayClass, NumberSource } from './formatArray.js'
export { FormatArray } from './formatArray.js'
export {
  BFloat16Array,
  Binary16Array,
  Float8E3M4Array,
  Float8E4M3Array,
  Float8E4M3FNArray,
  Float8E4M3FNUZArray,
  Float8E4M3B11FNUZArray,
  Float8E5M2Array,
  Float8E5M2FNUZArray,
  Float8E8M0FNUArray,
  Float6E2M3FNArray,
  Float6E3M2FNArray,
  Float4E2M1FNArray,
} from './formatArrays.js'
export { ieeeFormat } from './ieeeFormat.js'
export type { P3109Options } from './p3109Format.js'
export { p3109Format } from './p3109Format.js'
export type { NumberCallback } from './numberSequence.js'
export { packCodes, unpackCodes } from './packCodes.js'
export { type BlockCodes, quantizeBlocks } from './quantizeBlocks.js'
export { round, rounder } from './round.js'
export type { EncodeOptions, Rounding } from './rounding.js'
export { nextDown, nextUp, orderIndex, ulp, ulpDistance } from './ulp.js'
