import { createRequire } from 'node:module'

// The parts of pg and pg-boss used here: they are optional peers, whose types are not there for everybody.

/** What a statement came to. */
export interface Answer {
  readonly rows: readonly unknown[]
}

/** A connection as pg makes it. */
export interface PgClient {
  connect(): Promise<unknown>
  query(text: string, values?: readonly unknown[]): Promise<Answer>
  end(): Promise<void>
  on(event: 'error', hear: (error: Error) => void): unknown
  on(event: 'end', hear: () => void): unknown
  on(
    event: 'notification',
    hear: (message: { readonly channel: string; readonly payload?: string }) => void,
  ): unknown
}

/** A job that was taken. */
export interface Job {
  readonly id: string
  readonly data: { readonly trial: string }
}

/** How many jobs a call changed. */
interface Changed {
  readonly affected: number
}

/** What executes the statements of pg-boss. */
export interface Executor {
  executeSql(text: string, values?: readonly unknown[]): Promise<Answer>
}

/** pg-boss 10. */
export interface Boss {
  start(): Promise<unknown>
  schemaVersion(): Promise<number | null>
  createQueue(name: string): Promise<void>
  insert(
    jobs: readonly {
      readonly id: string
      readonly name: string
      readonly data: Job['data']
      readonly priority: number
      readonly retryLimit: number
    }[],
  ): Promise<unknown>
  fetch(name: string, options: { readonly batchSize: number }): Promise<readonly Job[]>
  complete(name: string, ids: readonly string[]): Promise<Changed>
  fail(name: string, ids: readonly string[], why: object): Promise<Changed>
  cancel(name: string, ids: readonly string[]): Promise<Changed>
  resume(name: string, ids: readonly string[]): Promise<Changed>
}

/** Both packages. */
export interface Peers {
  connect(options: object): PgClient
  boss(options: object): Boss
  /** The version of the tables that this pg-boss makes. */
  readonly bossSchema: number
}

const install = '`npm install pg@8 pg-boss@10` adds them'

/**
 * Loads pg and pg-boss.
 *
 * Throws    Error where one is not installed, or of a version that this file does not know.
 */
export async function loadPeers(op: string): Promise<Peers> {
  const { Client } = await load<{ Client: new (options: object) => PgClient }>(op, 'pg')
  const PgBoss = await load<new (options: object) => Boss>(op, 'pg-boss')
  const read = createRequire(import.meta.url)
  const { version } = read('pg-boss/package.json') as { readonly version: string }
  checkVersion(op, version)
  const { schema } = read('pg-boss/version.json') as { readonly schema: number }
  return {
    connect: (options) => new Client(options),
    boss: (options) => new PgBoss(options),
    bossSchema: schema,
  }
}

async function load<T>(op: string, name: string): Promise<T> {
  try {
    const loaded = (await import(name)) as { readonly default: T }
    return loaded.default
  } catch (cause) {
    throw new Error(`${op}: ${name} is not installed, ${install} [${name}]`, { cause })
  }
}

/** The calls differ from one major version to the next: 10.4 is the last for Node 20. */
export function checkVersion(op: string, version: string): void {
  const [major, minor] = version.split('.').map(Number)
  if (major === 10 && minor !== undefined && minor >= 4) return
  throw new Error(`${op}: pg-boss is not of version 10.4 or a later 10, ${install} [${version}]`)
}
