import type { Metrics } from './experiment.js'
import type { RowsFile, TrialRow } from './rowsFile.js'
import { type Runner, TrialFailed } from './runner.js'
import type { Schedule } from './schedule.js'
import type { Trial } from './trial.js'

/** Functions called at events of a sweep. */
export interface Watcher {
  /** Of the rows of this sweep that the file held, before anything is run. */
  readonly onHeld?: ((rows: readonly TrialRow[]) => void) | undefined
  /** At the beginning, and of every row that is on disk. */
  readonly onRow?: ((done: number, total: number, last?: TrialRow) => void) | undefined
  /** Of what a trial under way reports. */
  readonly onReport?: ((trial: Trial, step: number, metrics: Metrics) => void) | undefined
}

/** What a sweep needs to continue. */
export interface Conducted extends Watcher {
  readonly file: RowsFile
  readonly runner: Runner
  /** Trials that are asked for at a time. */
  readonly atOnce: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs what a schedule asks for and the file does not hold. The file's rows are reported first, in their order, so that the
 * schedule comes to the point where it was; then trials are asked for, `atOnce` at a time, and each row goes to the file
 * before the schedule receives it. Where trials fail the others are finished, and the error of the first of them is
 * thrown; what the schedule itself throws, and the signal, end it at once.
 */
export async function conduct(schedule: Schedule, how: Conducted): Promise<void> {
  const { file, runner, atOnce, signal, onHeld, onRow, onReport } = how
  const running = new Map<string, Trial>()
  const fill = (): Trial[] => {
    const begun: Trial[] = []
    while (running.size < atOnce) {
      const trial = schedule.next()
      if (trial === undefined) break
      running.set(trial.key, trial)
      begun.push(trial)
    }
    return begun
  }
  let done = 0
  const total = (): number => Math.max(schedule.total, done + running.size)
  const count = (trial: Trial, last: TrialRow): void => {
    running.delete(trial.key)
    done++
    schedule.tell(trial, last.row)
  }
  fill()
  const held: TrialRow[] = []
  for (const [key, one] of file.rows) {
    const trial = running.get(key)
    if (trial !== undefined) {
      held.push(one)
      count(trial, one)
      fill()
    } else if (schedule.list === undefined) {
      throw new RangeError(`sweep: the file holds a row that this search has not asked for [${key}]`)
    }
  }
  onHeld?.(held)
  onRow?.(done, total())

  const order = [...running.keys()]
  const failed = new Map<string, unknown>()
  let stopped = false
  let end: (reason: unknown) => void = () => {}
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => {
      stopped = true
      reject(reason)
    }
  })
  const start = async (trial: Trial): Promise<void> => {
    const report = onReport && ((step: number, metrics: Metrics) => onReport(trial, step, metrics))
    let next: Trial[] = []
    try {
      const row = await runner.run(trial, report)
      if (stopped) return
      file.append(trial, row)
      try {
        count(trial, { trial, row })
        next = fill()
        order.push(...next.map(({ key }) => key))
      } catch (thrown) {
        return end(thrown)
      }
      onRow?.(done, total(), { trial, row })
    } catch (thrown) {
      failed.set(trial.key, thrown)
    }
    await Promise.all(next.map(start))
  }
  const abort = (): void => end(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  try {
    await Promise.race([ended, Promise.all([...running.values()].map(start))])
  } finally {
    stopped = true
    signal?.removeEventListener('abort', abort)
  }
  const first = order.find((key) => failed.has(key))
  if (first !== undefined) throw together(failed.get(first), failed.size)
}

/** The error of the first trial that failed, with how many more did. */
function together(thrown: unknown, count: number): unknown {
  if (!(thrown instanceof TrialFailed) || count === 1) return thrown
  return new TrialFailed(`${thrown.message}, and ${count - 1} more failed`, { cause: thrown })
}
