import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { type BlockwiseName, blockwiseNames } from '../../numbers/storage/index.js'
import { type Key, key as keyOfSeed, split } from '../../tensors/random/index.js'

/** Whether the numbers of a state have both signs, or are never negative. */
export type MomentSign = 'signed' | 'unsigned'

/** A format of optimizer states: blocks of 8-bit, 4-bit or fp8 codes, or 16-bit numbers. */
export type StateFormatName = BlockwiseName | 'bfloat16' | 'float16'

/** How a state is stored. */
export interface StateFormatOptions {
  readonly format: StateFormatName
  /** Numbers that share a scale. Default: 256, of 'torchao-4bit' 128; 16-bit formats have no blocks. */
  readonly blockSize?: number
  /** Tensors with fewer elements keep their dtype. Default: 4096, as in bitsandbytes and torchao; of 16-bit formats 0. */
  readonly minSize?: number
  /** A random stream or its seed: moments are rounded up or down at random, right on average. Default: to nearest. */
  readonly key?: Key | number
  /**
   * The fields of a state that are stored, and whether their numbers have signs: of a path, the first name that is in this table counts.
   * Default: mu, m1, m2, trace, ema, expAvg and previousGradient are 'signed', nu, nuMax, expAvgSq, sumOfSquares, eG and eX 'unsigned'.
   */
  readonly moments?: Readonly<Record<string, MomentSign>>
}

/** The name of a format, or the format with its options. */
export type StateFormat = StateFormatName | StateFormatOptions

/** The option of optimizers that store their state in a format. */
export interface StateFormatOption {
  /** How the moments are stored between steps, see `storedState`. Default: as tensors of their dtype. */
  readonly stateFormat?: StateFormat
}

/** The names of `StateFormatOption`. */
export const stateFormatNames: OptionTable<StateFormatOption> = { stateFormat: 'optional' }

const names: OptionTable<StateFormatOptions> = {
  format: 'required',
  blockSize: 'optional',
  minSize: 'optional',
  key: 'optional',
  moments: 'optional',
}

const usual: Readonly<Record<string, MomentSign>> = {
  ...{ mu: 'signed', m1: 'signed', m2: 'signed', trace: 'signed', ema: 'signed', expAvg: 'signed' },
  ...{ previousGradient: 'signed', nu: 'unsigned', nuMax: 'unsigned', expAvgSq: 'unsigned' },
  ...{ sumOfSquares: 'unsigned', eG: 'unsigned', eX: 'unsigned' },
}

/** A format with all its options. */
export interface SettledFormat {
  readonly format: StateFormatName
  readonly blockSize: number | undefined
  readonly minSize: number
  readonly key: Key | undefined
  readonly moments: Readonly<Record<string, MomentSign>>
}

/** The options checked and complete. */
export function settledFormat(op: string, given: StateFormat): SettledFormat {
  const options: StateFormatOptions = typeof given === 'string' ? { format: given } : given
  checkOptions(op, options, names)
  const { format, blockSize, key, moments = usual } = options
  checkName(op, 'state format', format, [...blockwiseNames, 'bfloat16', 'float16'])
  const inBlocks = isBlockwise(format)
  if (blockSize !== undefined) {
    if (!inBlocks) throw new RangeError(`${op}: blockSize is of formats in blocks [${format}]`)
    checkInteger(op, 'blockSize', blockSize, 1)
  }
  const { minSize = inBlocks ? 4096 : 0 } = options
  checkInteger(op, 'minSize', minSize)
  checkRecord(op, 'moments', moments)
  for (const [name, sign] of Object.entries(moments)) {
    checkName(op, `sign of ${name}`, sign, ['signed', 'unsigned'])
  }
  const start = typeof key === 'number' ? keyOfSeed(key) : key
  if (start !== undefined) split(start, 0)
  return { format, blockSize, minSize, key: start, moments }
}

/** Whether a format has codes in blocks with scales. */
export function isBlockwise(format: StateFormatName): format is BlockwiseName {
  return format !== 'bfloat16' && format !== 'float16'
}
