import { schema } from './openTables.js'
import type { Connection } from './session.js'
import { supervise } from './supervise.js'

/** What a sweep looks after while it waits. */
export interface WatchWorkersSetup {
  readonly name: string
  readonly shown: string
  readonly log: (text: string) => void
  /** The jobs that are waited for. */
  readonly waiting: () => readonly string[]
  readonly give: (connection: Connection, ids: readonly string[]) => Promise<void>
}

/** The number of checks without a worker before a warning: 10 seconds. */
const idleChecks = 2

/** What is done now and then while rows are waited for: looks after the workers, and says what keeps them from it. */
export function watchWorkers({
  name,
  shown,
  log,
  waiting,
  give,
}: WatchWorkersSetup): (connection: Connection) => Promise<void> {
  let idle = 0
  const reported = new Set<string>()
  return async (connection) => {
    const ids = waiting()
    if (ids.length === 0) return
    await supervise(connection)
    await give(connection, ids)
    const [workers] = await connection.query<{ count: number }>(
      `select count(*)::int as count from ${schema}.workers where lost is null`,
    )
    idle = workers?.count === 0 ? idle + 1 : 0
    if (idle === idleChecks) {
      log(`no worker is connected: \`tpu-toolkit worker ${shown}\` starts one, on any machine`)
    }
    const refusals = await connection.query<{ host: string; why: string }>(
      `select host, why from ${schema}.refusals join ${schema}.workers on id = worker where sweep = $1`,
      [name],
    )
    for (const { host, why } of refusals) {
      const text = `the worker on ${host} takes none of these runs: ${why}`
      if (reported.has(text)) continue
      reported.add(text)
      log(text)
    }
  }
}
