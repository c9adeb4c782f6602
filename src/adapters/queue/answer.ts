import { shown } from '../../base/options/index.js'
import { type Row, TrialFailed } from '../../experiments/sweep/index.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'
import type { Waiter } from './waiter.js'

/** Who waits for what. */
export interface Waiting {
  readonly name: string
  /** The jobs that are looked for. */
  readonly ids: readonly string[]
  readonly waiters: Map<string, Waiter>
  /** The errors of trials that were set aside, by key. */
  readonly failed: Map<string, string>
}

/** Gives rows, and the errors of jobs that were set aside, to those who wait for them. */
export async function answer(connection: Connection, { name, ids, waiters, failed }: Waiting): Promise<void> {
  const waiting = new Map(ids.flatMap((id) => waiters.get(id) ?? []).map((one) => [one.trial.key, one]))
  if (waiting.size === 0) return
  const rows = await connection.query<{ key: string; row: string }>(
    `select key, row::text as row from ${schema}.results where sweep = $1 and key = any($2)`,
    [name, [...waiting.keys()]],
  )
  const answered = new Set<string>()
  for (const { key, row } of rows) {
    answered.add(key)
    const kept: unknown = JSON.parse(row)
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) {
      waiting.get(key)?.resolve(kept as Row)
    } else {
      waiting.get(key)?.reject(new TrialFailed(`the row in the database is no record [${shown(kept)}]`))
    }
  }
  const aside = await connection.query<{ job: string; error: string | null }>(
    `select job, error from ${schema}.troubles where sweep = $1 and job = any($2) and aside`,
    [name, ids],
  )
  for (const { job, error } of aside) {
    const waiter = waiters.get(job)
    if (waiter === undefined || answered.has(waiter.trial.key)) continue
    const why = error ?? 'failed'
    failed.set(waiter.trial.key, why)
    waiter.reject(new TrialFailed(why))
    waiters.delete(job)
  }
  for (const id of ids) {
    const waiter = waiters.get(id)
    if (waiter !== undefined && answered.has(waiter.trial.key)) waiters.delete(id)
  }
}
