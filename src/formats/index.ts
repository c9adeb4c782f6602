// Formats of at most 16 bits: codes, their values, and the one rounding between float64 and a code.
// Read format.ts first (a format is a record of facts), then encode.ts, the reference of every cast.
export type { FormatName } from './catalogue.js'
export { format, formatNames } from './catalogue.js'
export { decode, decodeArray, decodeTable, isNaNCode } from './decode.js'
export { encode } from './encode.js'
export { encodeArray } from './encodeArray.js'
export { encoder } from './encoder.js'
export type { FloatFormat, FormatFacts, NaNCodes } from './format.js'
export { defineFormat } from './format.js'
export { round, rounder } from './round.js'
export type { EncodeOptions, Rounding } from './rounding.js'
export { nextDown, nextUp, orderIndex, ulp, ulpDistance } from './ulp.js'
