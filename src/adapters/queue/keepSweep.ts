import { shown } from '../../base/options/index.js'
import { schema } from './openTables.js'
import type { Connection } from './session.js'

/** What a sweep's runs are of. Rows of another experiment, or of another toolkit, are not its rows. */
export interface SweepFacts {
  readonly name: string
  /** What `loadExperiment` takes. */
  readonly experiment: string
  /** Of the text of its file; null for what is built in. */
  readonly digest: string | null
  /** The version of the toolkit. */
  readonly toolkit: string
}

/**
 * Throws unless a sweep may have this name: 1 to 200 printable ASCII characters without a backslash, a letter or a digit among them. pg-boss and
 * PostgreSQL refuse most others, after the sweep was kept, in words that name neither.
 */
export function checkSweepName(op: string, name: string): void {
  if (/^[ -[\]-~]{1,200}$/.test(name) && /[A-Za-z0-9]/.test(name)) return
  throw new RangeError(
    `${op}: the name of a sweep is not 1 to 200 printable ASCII characters with a letter or digit and without \\ [${shown(JSON.stringify(name))}]`,
  )
}

/** Keeps what a sweep is, with a queue of its own, both or neither. Throws a RangeError where its name is another's. */
export async function keepSweep(op: string, connection: Connection, sweep: SweepFacts): Promise<void> {
  const { name, experiment, digest, toolkit } = sweep
  await connection.transaction(async () => {
    await connection.query(
      `insert into ${schema}.sweeps (name, experiment, digest, toolkit) values ($1, $2, $3, $4) on conflict do nothing`,
      [name, experiment, digest, toolkit],
    )
    const [kept] = await connection.query<SweepFacts>(
      `select name, experiment, digest, toolkit from ${schema}.sweeps where name = $1`,
      [name],
    )
    const differs = kept && difference(kept, sweep)
    if (differs !== undefined) {
      throw new RangeError(`${op}: ${differs}, take another name for this sweep [${shown(name)}]`)
    }
    await connection.boss.createQueue(name)
  })
}

/** How what is kept differs from what is here; undefined where it does not. */
export function difference(kept: SweepFacts, here: Omit<SweepFacts, 'name'>): string | undefined {
  const fileOf = ({ experiment }: Pick<SweepFacts, 'experiment'>) => experiment.replace(/^.*[\\/]/, '')
  if (fileOf(kept) !== fileOf(here)) return `its runs are of ${kept.experiment}`
  if (kept.digest !== here.digest) return `its runs are of another text of ${fileOf(kept)}`
  if (kept.toolkit !== here.toolkit) {
    return `its runs are of tpu-toolkit ${kept.toolkit}, this is ${here.toolkit}`
  }
  return undefined
}
