import type { FormatName } from '../../formats/index.js'
import { readFormat } from '../readFormat.js'
import { readInteger } from '../readInteger.js'
import { readNames } from '../readNames.js'
import { operations } from './operations.js'

/** What the command was asked to do. */
export interface DriftOptions {
  readonly ops: readonly string[]
  /** Undefined: each operation's own lengths. */
  readonly lengths: readonly number[] | undefined
  readonly dtype: FormatName
  readonly seed: number
  readonly json: boolean
  readonly out: string
}

/** The options as they are typed. */
export interface GivenDrift {
  readonly only?: string
  readonly length?: string
  readonly dtype: string
  readonly seed: string
  readonly json?: true
  readonly out: string
}

/** What `--only` takes. */
export const operationNames: readonly string[] = operations.map((operation) => operation.name)
/** The longest length. */
export const longestLength: number = 2 ** 20

/** The options with their meaning. */
export function readDriftOptions(given: GivenDrift): DriftOptions {
  return {
    ops: given.only === undefined ? operationNames : readNames('op', given.only, operationNames),
    lengths: given.length === undefined ? undefined : readLengths(given.length),
    dtype: readFormat(given.dtype).name as FormatName,
    seed: readInteger('seed', given.seed, 0, 2 ** 32 - 1),
    json: given.json ?? false,
    out: given.out,
  }
}

function readLengths(text: string): number[] {
  const lengths = text.split(',').map((part) => readInteger('length', part.trim(), 2, longestLength))
  return [...new Set(lengths)].sort((a, b) => a - b)
}
