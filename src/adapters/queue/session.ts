import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Boss, Peers, PgClient } from './peers.js'

/** One connection to the database. */
export interface Connection {
  query<T>(text: string, values?: readonly unknown[]): Promise<readonly T[]>
  /** All or nothing. `lazy`: may be lost when the server dies, which saves waiting for its disk. */
  transaction<T>(work: () => Promise<T>, durability?: 'lazy'): Promise<T>
  /** Its statements go over this connection, inside of its transaction. */
  readonly boss: Boss
  /** Throws what a statement of `boss` threw since the last call: `fetch` answers errors with an empty list. */
  checkBoss(): void
}

/** A connection that is made again where it is lost. */
export interface Session {
  /**
   * Runs a task with exclusive use of the connection. If the connection is lost the task is repeated on the next one,
   * from its beginning: so it is something that may be done twice.
   */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Ends it; what waits for a connection rejects. */
  close(): Promise<void>
}

/** Options and events of a session. */
export interface SessionSetup {
  readonly op: string
  readonly url: string
  /** The address as it may be shown. */
  readonly shown: string
  readonly schema: string
  readonly peers: Peers
  /** Seconds without a connection after which it is given up. */
  readonly patience: number
  /** Done first on every connection. */
  readonly begin: (connection: Connection) => Promise<void>
  readonly onNotice: (channel: string, payload: string) => void
  readonly log: (text: string) => void
}

/** How long what is under way may take when a session is closed, in milliseconds. */
const closeTimeout = 5000

/** The connection is gone, whatever was under way on it. */
class ConnectionLost extends Error {}

/** A deadlock or serialization failure: the task is repeated. */
class Conflict extends Error {}

/** The server lacks disk space, memory or connections: a temporary condition. */
class OutOfResources extends Error {}

/** The database cannot be reached for longer than `patience`, or refuses a request. Finished work is kept. */
export class QueueFailed extends Error {
  override readonly name: string = 'QueueFailed'
}

// The server closes a connection whose other end vanished after 5 + 3 * 3 seconds instead of two hours. A stopped process in
// the middle of a transaction keeps nobody waiting.
const settings = `set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3;
set tcp_user_timeout = 14000; set idle_in_transaction_session_timeout = '15s'; set client_min_messages = warning`

/**
 * Connects. The first connection fails at once where the server is not there or refuses; later ones are tried again and again.
 */
export async function openSession(setup: SessionSetup): Promise<Session> {
  const { op, shown, patience, log } = setup
  const closed = new AbortController()
  let current: Link | undefined
  let gone: Error | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** An error that is not retried. */
  const refusal = (thrown: unknown): Error => {
    const ofServer =
      thrown instanceof Error &&
      ('severity' in thrown || thrown instanceof ConnectionLost || thrown instanceof OutOfResources)
    if (!ofServer && thrown instanceof Error) return thrown
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return new QueueFailed(`${op}: cannot connect to ${shown} [${why}]`, { cause: thrown })
  }
  const ofStatement = (thrown: unknown): unknown => {
    if (!(thrown instanceof Error && 'severity' in thrown)) return thrown
    return new QueueFailed(`${op}: the database refuses, ${thrown.message} [${shown}]`, { cause: thrown })
  }

  const connect = async (): Promise<Link> => {
    const link = await openLink(setup, () => {
      // Nobody may be using it: it is made again all the same, for what is heard on it and held by it.
      if (!closed.signal.aborted && gone === undefined) session.use(async () => {}).catch(() => {})
    })
    try {
      await setup.begin(link.connection)
    } catch (thrown) {
      // Ended, not lost: who is lost is connected again.
      void link.end()
      throw thrown
    }
    return link
  }

  const connected = async (): Promise<Link> => {
    if (closed.signal.aborted) throw new Error(`${op}: closed [${shown}]`)
    if (gone) throw gone
    if (current && !current.lost()) return current
    const began = performance.now()
    log(`the connection was lost, trying again [${current?.lost()?.message ?? 'no connection'}]`)
    for (let pause = 250; ; pause = Math.min(2 * pause, 5000)) {
      // Not all workers at the same moment.
      await sleep(pause * (0.5 + Math.random()), undefined, { signal: closed.signal })
      try {
        current = await connect()
        log('connected again')
        return current
      } catch (thrown) {
        if (
          !(
            thrown instanceof ConnectionLost ||
            thrown instanceof Conflict ||
            thrown instanceof OutOfResources
          )
        ) {
          gone = refusal(thrown)
          throw gone
        }
        if (performance.now() - began > patience * 1000) {
          gone = new QueueFailed(
            `${op}: no connection for ${patience} seconds, finished runs are kept, the same command resumes [${shown}: ${thrown.message}]`,
          )
          throw gone
        }
      }
    }
  }

  /** Since when the server lacks something; undefined where it does not. */
  let scarceSince: number | undefined
  /** Waits until the server has resources again; runs continue, and their rows wait. */
  const outlast = async (lack: OutOfResources): Promise<void> => {
    if (scarceSince === undefined) log(`the database lacks something, trying again [${lack.message}]`)
    scarceSince ??= performance.now()
    if (performance.now() - scarceSince > patience * 1000) {
      throw new QueueFailed(
        `${op}: the database refuses for ${patience} seconds, finished runs are kept, the same command resumes [${shown}: ${lack.message}]`,
        { cause: lack },
      )
    }
    await sleep(1000 * (0.5 + Math.random()), undefined, { signal: closed.signal })
  }

  const session: Session = {
    use: (work) => {
      const result = last.then(async () => {
        for (;;) {
          const link = await connected()
          try {
            const done = await work(link.connection)
            if (scarceSince !== undefined) log('the database takes it again')
            scarceSince = undefined
            return done
          } catch (thrown) {
            if (thrown instanceof ConnectionLost) link.drop(thrown)
            else if (thrown instanceof OutOfResources) await outlast(thrown)
            else if (!(thrown instanceof Conflict)) throw ofStatement(thrown)
          }
        }
      })
      last = result.catch(() => {})
      return result
    },
    close: async () => {
      closed.abort()
      // Of a connection that hangs nothing may come any more.
      await Promise.race([last, sleep(closeTimeout, undefined, { ref: false })])
      await current?.end()
    },
  }
  try {
    current = await connect()
  } catch (thrown) {
    throw refusal(thrown)
  }
  return session
}

interface Link {
  readonly connection: Connection
  /** Why it is lost, where it is. */
  lost(): Error | undefined
  drop(why?: Error): void
  end(): Promise<void>
}

async function openLink(setup: SessionSetup, onLost: () => void): Promise<Link> {
  const { op, url, peers, schema, onNotice } = setup
  const client: PgClient = peers.connect({
    ...{ connectionString: url, application_name: `tpu-toolkit ${op}` },
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 5000 },
    // A server that does not answer any more is a lost one.
    ...{ connectionTimeoutMillis: 10_000, query_timeout: 60_000 },
  })
  let why: Error | undefined
  let ended = false
  const lose = (error: Error): void => {
    if (why !== undefined || ended) return
    why = error
    // Not awaited: of a connection that hangs nothing comes any more.
    client.end().catch(() => {})
    onLost()
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('the server ended it')))
  client.on('notification', ({ channel, payload = '' }) => onNotice(channel, payload))
  let ofBoss: Error | undefined
  const execute = async (text: string, values?: readonly unknown[]): Promise<Answer> => {
    try {
      return await client.query(text, values)
    } catch (thrown) {
      throw sorted(thrown, why)
    }
  }
  const link: Link = {
    lost: () => why,
    drop: (error = new Error('given up')) => lose(error),
    end: async () => {
      ended = true
      await client.end().catch(() => {})
    },
    connection: {
      query: async <T>(text: string, values?: readonly unknown[]) =>
        (await execute(text, values)).rows as readonly T[],
      transaction: async (work, durability) => {
        await execute(durability === 'lazy' ? 'begin; set local synchronous_commit to off' : 'begin')
        try {
          const result = await work()
          await execute('commit')
          return result
        } catch (thrown) {
          if (!(thrown instanceof ConnectionLost)) await execute('rollback')
          throw thrown
        }
      },
      boss: peers.boss({
        db: {
          executeSql: async (text: string, values?: readonly unknown[]) => {
            try {
              return await execute(text, values)
            } catch (thrown) {
              ofBoss = thrown as Error
              throw thrown
            }
          },
        },
        ...{ schema, supervise: false, schedule: false },
      }),
      checkBoss: () => {
        const thrown = ofBoss
        ofBoss = undefined
        if (thrown) throw thrown
      },
    },
  }
  try {
    await client.connect()
    await execute(settings)
  } catch (thrown) {
    const error = sorted(thrown, why)
    ended = true
    client.end().catch(() => {})
    throw error
  }
  return link
}

/** Classifies an error of pg: connection lost, to be retried, or final. */
function sorted(thrown: unknown, why: Error | undefined): Error {
  if (thrown instanceof ConnectionLost || thrown instanceof Conflict || thrown instanceof OutOfResources) {
    return thrown
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = 'code' in error ? String(error.code) : ''
  // Deadlock and serialization failure.
  if (code === '40P01' || code === '40001') return new Conflict(error.message, { cause: error })
  if ('severity' in error) {
    // Wrong password, no such user or database: that stays so.
    if (/^(28|3D)/.test(code)) return error
    const scarce = code.startsWith('53') && error.severity === 'ERROR'
    if (scarce) return new OutOfResources(messageOf(error), { cause: error })
    const passing = /^(08|57)/.test(code) || error.severity === 'FATAL' || error.severity === 'PANIC'
    return passing ? new ConnectionLost(messageOf(error), { cause: error }) : error
  }
  return new ConnectionLost(messageOf(why ?? error), { cause: error })
}

/** Node's error of several addresses has no message of its own. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(String).join('; ').replaceAll('Error: ', '')
  return error.message
}
