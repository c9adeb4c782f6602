import { hostname } from 'node:os'
import { jobsChannel } from './jobId.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'
import { workerLock } from './supervise.js'

/** A job that a worker has taken. */
export interface Claim {
  readonly sweep: string
  readonly job: string
}

/**
 * Makes this connection a worker's: a row with a number that was never used, and the lock of that number, held by the session. Both
 * can be seen at the same moment. What a former connection of this process had taken, and nobody gave back since, goes over.
 */
export async function register(
  connection: Connection,
  threads: number,
  former: number | undefined,
  running: readonly Claim[],
): Promise<number> {
  const id = await connection.transaction(async () => {
    const [made] = await connection.query<{ id: number }>(
      `insert into ${schema}.workers (host, pid, threads) values ($1, $2, $3) returning id`,
      [hostname(), process.pid, threads],
    )
    await connection.query('select pg_advisory_lock($1, $2)', [workerLock, made!.id])
    if (former !== undefined) {
      await connection.query(`update ${schema}.claims set worker = $1 where worker = $2 and job = any($3)`, [
        made!.id,
        former,
        running.map(({ job }) => job),
      ])
    }
    return made!.id
  })
  await connection.query(`listen ${jobsChannel}`)
  return id
}

/** Says that this worker is there. False where it was taken for gone: its jobs are others' now. */
export async function beat(connection: Connection, worker: number): Promise<boolean> {
  const [seen] = await connection.query(
    `update ${schema}.workers set seen = now(), lost = null where id = $1 returning id`,
    [worker],
  )
  return seen !== undefined
}

/** Gives back what a worker has taken, and takes its row away. */
export async function leave(connection: Connection, worker: number): Promise<number> {
  return connection.transaction(async () => {
    const claims = await connection.query<Claim>(
      `delete from ${schema}.claims where worker = $1 returning sweep, job`,
      [worker],
    )
    for (const { sweep, job } of claims) {
      await connection.boss.fail(sweep, [job], { message: 'given back' })
    }
    await connection.query(`delete from ${schema}.workers where id = $1`, [worker])
    await connection.query('select pg_notify($1, $2)', [jobsChannel, ''])
    return claims.length
  })
}
