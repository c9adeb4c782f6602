import { checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'

/** What is stored: codes, and the tables that they point into. */
export interface BitsOptions {
  /** How many numbers are coded. */
  readonly values: number
  /** Numbers that one code stands for. */
  readonly dim: number
  /** Codes of a codebook. */
  readonly codebookSize: number
  /** Bits of a number in a codebook. Default 16. */
  readonly entryBits?: number
  /** Codebooks that are added up for a vector: as many codes. Default 1. */
  readonly codebooks?: number
  /** One table for so many values. Default: one for all. */
  readonly valuesPerTable?: number | null
}

/** Bits, tables counted. */
export interface BitsAccounting {
  readonly codeBits: number
  readonly tableBits: number
  /** All bits over the values. */
  readonly bitsPerValue: number
  /** The codes' bits alone over the values: ceil(log2 size) codebooks / dim, more where dim does not divide. */
  readonly indexBitsPerValue: number
  /** How many times fewer bits than 16, and 32, for every value. */
  readonly ratioToBfloat16: number
  readonly ratioToFloat32: number
}

const names: OptionTable<BitsOptions> = {
  ...{ values: 'required', dim: 'required', codebookSize: 'required' },
  ...{ entryBits: 'optional', codebooks: 'optional', valuesPerTable: 'optional' },
}

/**
 * What vector quantisation costs in bits, with its tables.
 *
 * Rounding  whole numbers; ratios in float64.
 * Throws    RangeError for sizes that are not integers from 1.
 *
 * @example bitsAccounting({ values: 2048, dim: 2, codebookSize: 16, entryBits: 8 }).bitsPerValue // 2.125
 */
export function bitsAccounting(options: BitsOptions): BitsAccounting {
  const op = 'bitsAccounting'
  checkOptions(op, options, names)
  const { values, dim, codebookSize, entryBits = 16, codebooks = 1, valuesPerTable = null } = options
  const whole = { values, dim, codebookSize, entryBits, codebooks, valuesPerTable: valuesPerTable ?? 1 }
  for (const [name, value] of Object.entries(whole)) checkInteger(op, name, value, 1)
  const vectors = Math.ceil(values / dim)
  const codeBits = vectors * codebooks * Math.ceil(Math.log2(codebookSize))
  const tables = valuesPerTable === null ? 1 : Math.ceil(values / valuesPerTable)
  const tableBits = tables * codebooks * codebookSize * dim * entryBits
  const bits = codeBits + tableBits
  return {
    ...{ codeBits, tableBits, bitsPerValue: bits / values, indexBitsPerValue: codeBits / values },
    ...{ ratioToBfloat16: (16 * values) / bits, ratioToFloat32: (32 * values) / bits },
  }
}
