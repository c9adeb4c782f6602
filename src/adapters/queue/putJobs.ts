import { jobId, jobsChannel } from './jobId.js'
import type { Connection } from './session.js'
import type { Waiter } from './waiter.js'

// pg-boss counts every time that a job is taken. What counts here are failures, and workers that ended: each by itself.
const retryLimit = 1_000_000

/** Enqueues jobs, first in first out. Existing ones are unchanged. */
export async function putJobs(
  connection: Connection,
  sweep: string,
  waiting: readonly Pick<Waiter, 'trial' | 'order'>[],
): Promise<void> {
  await connection.transaction(async () => {
    await connection.boss.insert(
      waiting.map(({ trial: { key, params, steps }, order }) => ({
        ...{ id: jobId(sweep, key), name: sweep, priority: -order, retryLimit },
        // As a text, since jsonb orders fields anew.
        data: { trial: JSON.stringify({ params, ...(steps === undefined ? {} : { steps }) }) },
      })),
    )
    await connection.query('select pg_notify($1, $2)', [jobsChannel, ''])
  })
}
