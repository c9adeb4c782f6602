import { BadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { readCount, readNumber } from '../io/readNumber.js'

/** The dtypes that networks are run in. */
export const precisions: readonly Precision[] = ['float32', 'bfloat16', 'float16']

type Precision = 'float32' | 'bfloat16' | 'float16'

/** What was typed. */
export interface GivenRl {
  readonly task?: string
  readonly seeds?: string
  readonly steps?: string
  readonly precision?: string
  readonly fee?: string
  readonly json?: boolean
  readonly out: string
}

/** A run, all of it: what is kept beside its states. */
export interface RlRequest {
  readonly task: 'cartpole' | 'trading'
  readonly seeds: number
  readonly steps: number
  readonly precision: Precision
  readonly fee: number
}

const tasks = ['cartpole', 'trading'] as const

/** The request that the options make, read and checked. */
export function readRl(given: GivenRl): RlRequest {
  const task = readName('task', given.task ?? 'trading', tasks)
  const fee = readNumber('fee', given.fee ?? '0.001')
  if (fee < 0 || fee > 1) throw new BadInput(`--fee is no number from 0 to 1 [${given.fee}]`)
  return {
    task,
    seeds: readCount('seeds', given.seeds ?? (task === 'trading' ? '10' : '1'), 1),
    steps: readCount('steps', given.steps ?? (task === 'trading' ? '4096' : '100000'), 1),
    precision: readName('precision', given.precision ?? 'float32', precisions),
    fee,
  }
}
