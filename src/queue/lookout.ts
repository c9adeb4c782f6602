import { schema } from './openTables.js'
import type { Connection } from './session.js'
import { supervise } from './supervise.js'

/** What a sweep looks after while it waits. */
export interface LookoutSetup {
  readonly name: string
  readonly shown: string
  readonly say: (text: string) => void
  /** The jobs that are waited for. */
  readonly waiting: () => readonly string[]
  readonly give: (connection: Connection, ids: readonly string[]) => Promise<void>
}

/** Looks without a worker after which that is said: 10 seconds. */
const lonely = 2

/** What is done now and then while rows are waited for: looks after the workers, and says what keeps them from it. */
export function lookout({
  name,
  shown,
  say,
  waiting,
  give,
}: LookoutSetup): (connection: Connection) => Promise<void> {
  let alone = 0
  const told = new Set<string>()
  return async (connection) => {
    const ids = waiting()
    if (ids.length === 0) return
    await supervise(connection)
    await give(connection, ids)
    const [workers] = await connection.query<{ count: number }>(
      `select count(*)::int as count from ${schema}.workers where lost is null`,
    )
    alone = workers?.count === 0 ? alone + 1 : 0
    if (alone === lonely) {
      say(`no worker is connected: \`tpu-toolkit worker ${shown}\` starts one, on any machine`)
    }
    const refusals = await connection.query<{ host: string; why: string }>(
      `select host, why from ${schema}.refusals join ${schema}.workers on id = worker where sweep = $1`,
      [name],
    )
    for (const { host, why } of refusals) {
      const text = `the worker on ${host} takes none of these runs: ${why}`
      if (told.has(text)) continue
      told.add(text)
      say(text)
    }
  }
}
