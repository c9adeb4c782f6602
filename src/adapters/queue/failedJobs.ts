import { jobsChannel, resultsChannel } from './jobId.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'

/** A job that fails so often is set aside. */
export const failuresAtMost = 3

/** Keeps that a job failed: it goes back into the queue, or is set aside. Returns whether it was. */
export async function keepFailure(
  connection: Connection,
  sweep: string,
  job: string,
  error: string,
): Promise<boolean> {
  const [trouble] = await connection.query<{ failures: number }>(
    `insert into ${schema}.troubles as t (sweep, job, failures, error) values ($1, $2, 1, $3)
     on conflict (sweep, job) do update set failures = t.failures + 1, error = excluded.error returning failures`,
    [sweep, job, error],
  )
  if (trouble!.failures >= failuresAtMost) {
    await setAside(connection, sweep, job, error)
    return true
  }
  await connection.boss.fail(sweep, [job], { message: error })
  await connection.query('select pg_notify($1, $2)', [jobsChannel, ''])
  return false
}

/** Removes a job from the queue, and notifies its sweep. */
export async function setAside(
  connection: Connection,
  sweep: string,
  job: string,
  error: string,
): Promise<void> {
  await connection.boss.cancel(sweep, [job])
  await connection.query(
    `insert into ${schema}.troubles as t (sweep, job, aside, error) values ($1, $2, true, $3)
     on conflict (sweep, job) do update set aside = true, error = excluded.error`,
    [sweep, job, error],
  )
  await connection.query('select pg_notify($1, $2)', [resultsChannel(sweep), job])
}

/** Puts those of these jobs that were set aside back into the queue, as if they had never failed. */
export async function takeBack(
  connection: Connection,
  sweep: string,
  jobs: readonly string[],
): Promise<void> {
  const back = await connection.query<{ job: string }>(
    `delete from ${schema}.troubles where sweep = $1 and job = any($2) and aside returning job`,
    [sweep, jobs],
  )
  if (back.length > 0) {
    await connection.boss.resume(
      sweep,
      back.map(({ job }) => job),
    )
  }
}
