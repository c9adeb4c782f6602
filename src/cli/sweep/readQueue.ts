import { type QueueRunnerOptions, queueAddress } from '../../adapters/queue/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { readInteger } from '../io/readNumber.js'

/** The options of a sweep over many machines, as commander has them. */
export interface GivenQueue {
  readonly queue?: string
  readonly queueName?: string
  readonly retryFailed?: boolean
  readonly patience?: string
}

/** Where the runs are put. */
export type QueueRequest = Omit<QueueRunnerOptions, 'experiment' | 'log'>

/** Reads them: undefined where the sweep runs in threads. */
export function readQueue(given: GivenQueue): QueueRequest | undefined {
  const { queue: url, queueName, retryFailed, patience } = given
  if (url === undefined) {
    const flag =
      queueName !== undefined
        ? 'queue-name'
        : retryFailed !== undefined
          ? 'retry-failed'
          : patience !== undefined
            ? 'patience'
            : undefined
    if (flag !== undefined) throw new BadInput(`--${flag} says nothing without --queue`)
    return undefined
  }
  mistakesAsBadInput('--queue', () => queueAddress('--queue', url))
  return {
    url,
    ...(queueName === undefined ? {} : { name: queueName }),
    ...(patience === undefined ? {} : { patience: readInteger('patience', patience, 0, 1_000_000) }),
    retryFailed: retryFailed ?? false,
  }
}
