import type { Row } from './experiment.js'
import type { Trial } from './trial.js'

/** Which trial is run next. Without state of its own outside: the same answers to the same calls, in a process begun again too. */
export interface Schedule {
  /** How many trials there will be, as far as it can be known. */
  readonly total: number
  /** All trials, where they are known beforehand: their rows are kept in that order. Else the reported rows decide, and their order is kept. */
  readonly list?: readonly Trial[]
  /** The next trial to begin; undefined where there is none before more rows are reported. */
  next(): Trial | undefined
  /** A trial is done. */
  tell(trial: Trial, row: Row): void
}

/** The trials of a list, each once. */
export function listSchedule(trials: readonly Trial[]): Schedule {
  const list = [...new Map(trials.map((trial) => [trial.key, trial])).values()]
  let begun = 0
  return { total: list.length, list, next: () => list[begun++], tell: () => {} }
}
