import { makeTrial, type Trial } from '../../experiments/sweep/index.js'
import { setAside } from './failedJobs.js'
import type { SweepFacts } from './keepSweep.js'
import { schema } from './openTables.js'
import type { Job } from './peers.js'
import type { Claim } from './register.js'
import type { Connection } from './session.js'

/** A job with its trial. */
export interface Taken extends Claim {
  readonly trial: Trial
}

/** Sweeps that have jobs in the queue, the oldest first. */
export function openSweeps(connection: Connection): Promise<readonly SweepFacts[]> {
  return connection.query<SweepFacts>(
    `select name, experiment, digest, toolkit from ${schema}.sweeps s
     where exists (select from ${schema}.job j where j.name = s.name and j.state < 'active') order by created`,
  )
}

/** Takes jobs of a sweep: they are this worker's from the moment that anybody can see them taken. */
export async function take(
  connection: Connection,
  worker: number,
  sweep: string,
  most: number,
): Promise<readonly Taken[]> {
  const jobs = await connection.transaction(async () => {
    const fetched: readonly Job[] = await connection.boss.fetch(sweep, { batchSize: most })
    connection.checkBoss()
    if (fetched.length > 0) {
      await connection.query(
        `insert into ${schema}.claims (sweep, job, worker) select $1, unnest($2::uuid[]), $3`,
        [sweep, fetched.map(({ id }) => id), worker],
      )
    }
    return fetched
    // What a server that dies forgets here is in the queue again when it is back.
  }, 'lazy')
  const taken: Taken[] = []
  for (const { id, data } of jobs) {
    const trial = trialOf(data)
    if (trial instanceof Error) {
      await connection.transaction(async () => {
        await connection.query(`delete from ${schema}.claims where sweep = $1 and job = $2`, [sweep, id])
        await setAside(connection, sweep, id, `the trial in the database is none, ${trial.message}`)
      })
    } else {
      taken.push({ sweep, job: id, trial })
    }
  }
  return taken
}

/** The trial of a job; an error where somebody else wrote another thing there. */
function trialOf(data: unknown): Trial | Error {
  try {
    const { params, steps } = JSON.parse((data as Job['data']).trial) as Trial
    return makeTrial(params, steps)
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}
