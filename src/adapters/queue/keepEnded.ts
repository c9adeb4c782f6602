import type { Row } from '../../experiments/sweep/index.js'
import { failuresAtMost, keepFailure } from './failedJobs.js'
import { resultsChannel } from './jobId.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'
import type { Taken } from './take.js'

/** A trial that came to its row, or failed. */
export interface Ended {
  readonly taken: Taken
  /** Undefined where it failed. */
  readonly row: Row | undefined
  readonly error: string
}

/** Keeps what ended: rows, and failures one by one. */
export async function keepEnded(
  connection: Connection,
  worker: number,
  ended: readonly Ended[],
  log: (text: string) => void,
): Promise<void> {
  const done = new Map<string, Done[]>()
  for (const { taken, row } of ended) {
    if (row === undefined) continue
    const together = done.get(taken.sweep) ?? []
    together.push({ taken, row })
    done.set(taken.sweep, together)
  }
  for (const [sweep, together] of done) await deliver(connection, worker, sweep, together)
  for (const { taken, row, error } of ended) {
    if (row !== undefined) continue
    if (await deliverFailure(connection, worker, taken, error)) {
      log(`set aside, it failed ${failuresAtMost} times: ${error}`)
    }
  }
}

interface Done {
  readonly taken: Taken
  readonly row: Row
}

/**
 * Keeps rows and ends their jobs, in one transaction: each row is stored once, even if another worker ran the same trial meanwhile. May be
 * done twice.
 */
async function deliver(
  connection: Connection,
  worker: number,
  sweep: string,
  done: readonly Done[],
): Promise<void> {
  const jobs = done.map(({ taken }) => taken.job)
  await connection.transaction(async () => {
    // The claims first, as everywhere: two that begin at different ends would wait for each other.
    await connection.query(
      `with gone as (delete from ${schema}.claims where sweep = $1 and job = any($2) and worker = $3),
       kept as (insert into ${schema}.results (sweep, key, row)
         select $1, key, row::json from unnest($4::text[], $5::text[]) as each(key, row) on conflict do nothing)
       select pg_notify($6, job::text) from unnest($2::uuid[]) as each(job)`,
      [
        ...[sweep, jobs, worker],
        done.map(({ taken }) => taken.trial.key),
        done.map(({ row }) => JSON.stringify(row)),
        resultsChannel(sweep),
      ],
    )
    const { affected } = await connection.boss.complete(sweep, jobs)
    // Some were given back, and nobody has taken them yet.
    if (affected < jobs.length) await connection.boss.cancel(sweep, jobs)
  })
}

/** Records the failure of a trial, unless its job is no longer this worker's. Returns whether the job was set aside. */
async function deliverFailure(
  connection: Connection,
  worker: number,
  { sweep, job }: Taken,
  error: string,
): Promise<boolean> {
  return connection.transaction(async () => {
    const [mine] = await connection.query(
      `delete from ${schema}.claims where sweep = $1 and job = $2 and worker = $3 returning job`,
      [sweep, job, worker],
    )
    // A text of PostgreSQL holds no zero.
    return mine !== undefined && keepFailure(connection, sweep, job, error.replaceAll('\0', ''))
  })
}
