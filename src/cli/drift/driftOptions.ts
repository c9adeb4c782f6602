import { longestLength, operations, type RunDriftOptions } from '../../experiments/drift/index.js'
import { readFormat } from '../io/readFormat.js'
import { readNames } from '../io/readNames.js'
import { readInteger } from '../io/readNumber.js'

/** The options as they are typed. */
export interface GivenDrift {
  readonly only?: string
  readonly length?: string
  readonly dtype: string
  readonly seed: string
  readonly all?: true
  readonly json?: true
  readonly out: string
}

/** What `--only` takes. */
export const operationNames: readonly string[] = operations.map((operation) => operation.name)

/** The options with their meaning. */
export function readDriftOptions({ only, length, dtype, seed }: GivenDrift): RunDriftOptions {
  return {
    ...(only === undefined ? {} : { ops: readNames('op', only, operationNames) }),
    ...(length === undefined ? {} : { lengths: readLengths(length) }),
    dtype: readFormat(dtype).name,
    seed: readInteger('seed', seed, 0, 2 ** 32 - 1),
  }
}

function readLengths(text: string): number[] {
  return text.split(',').map((part) => readInteger('length', part.trim(), 2, longestLength))
}
