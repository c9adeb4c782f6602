import { setAside } from './failedJobs.js'
import { jobsChannel } from './jobId.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'

/** The first half of every worker's lock. */
export const workerLock = 0x7470_7577

/** When a worker counts as gone. All seconds, by the clock of the server: no other clock decides anything. */
export interface Limits {
  /** Its lock has been free for so long: the process ended, or its connection was lost and it did not come back. */
  readonly grace: number
  /** The silence after which a worker that holds its lock counts as stopped or asleep. */
  readonly silence: number
}

export const limits: Limits = { grace: 10, silence: 60 }

/** How often somebody looks, in milliseconds. */
export const watch = 5000

/** How many workers may die of a job before the job is set aside. */
const deathsAtMost = 10

/**
 * Returns the jobs of lost workers to the queue. Every connected process does this, independently.
 *
 * A worker holds a lock of its session for as long as it lives: the server frees it when the process ends in whatever way, at
 * once or, where a whole machine vanished, after 14 seconds without an answer.
 */
export async function supervise(connection: Connection, { grace, silence }: Limits = limits): Promise<void> {
  await connection.query(
    `update ${schema}.workers w set lost = now() where lost is null and not exists (
       select from pg_locks l where l.locktype = 'advisory' and l.classid = ${workerLock} and l.objid = w.id::oid
       and l.objsubid = 2 and l.granted and l.database = (select oid from pg_database where datname = current_database()))`,
  )
  const gone = `lost < now() - make_interval(secs => $1) or seen < now() - make_interval(secs => $2)`
  const [any] = await connection.query(`select from ${schema}.workers where ${gone} limit 1`, [
    grace,
    silence,
  ])
  if (any === undefined) return
  await connection.transaction(async () => {
    const workers = await connection.query<{ id: number; host: string }>(
      `select id, host from ${schema}.workers where ${gone} order by id for update skip locked`,
      [grace, silence],
    )
    const ids = workers.map(({ id }) => id)
    const claims = await connection.query<{ sweep: string; job: string; worker: number }>(
      `delete from ${schema}.claims where worker = any($1) returning sweep, job, worker`,
      [ids],
    )
    for (const { sweep, job, worker } of claims) {
      const [trouble] = await connection.query<{ deaths: number }>(
        `insert into ${schema}.troubles as t (sweep, job, deaths) values ($1, $2, 1)
         on conflict (sweep, job) do update set deaths = t.deaths + 1 returning deaths`,
        [sweep, job],
      )
      if (trouble!.deaths < deathsAtMost) {
        await connection.boss.fail(sweep, [job], { message: 'its worker is gone' })
      } else {
        const host = workers.find(({ id }) => id === worker)?.host
        await setAside(connection, sweep, job, `${deathsAtMost} workers ended during it, the last on ${host}`)
      }
    }
    await connection.query(`delete from ${schema}.workers where id = any($1)`, [ids])
    if (claims.length > 0) await connection.query('select pg_notify($1, $2)', [jobsChannel, ''])
  })
}
