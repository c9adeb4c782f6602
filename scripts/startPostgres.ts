import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Running, started, until } from './harness.js'

/** A PostgreSQL that runs for a test. */
export interface TestPostgres {
  /** With a password in it, so that a test can look for it where it must not be. */
  readonly url: string
  readonly password: string
  readonly port: number
  /** Ends the server: in order, or as a power cut would. */
  stop(how: 'SIGINT' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Ends it for good and removes its folder. */
  remove(): Promise<void>
}

/**
 * Starts the PostgreSQL of Debian's package on a port of its own, in a temporary folder, as the user postgres where this process is
 * root's, for whom it does not run.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = programs()
  const owner = process.getuid?.() === 0 ? idsOf('postgres') : undefined
  const top = mkdtempSync(join(tmpdir(), 'postgres-'))
  chmodSync(top, 0o755)
  if (owner) chownSync(top, owner.uid, owner.gid)
  const [folder, secret] = [join(top, 'data'), join(top, 'password')]
  const password = randomBytes(12).toString('hex')
  writeFileSync(secret, `${password}\n`)
  const files = ['-D', folder, '-U', 'toolkit', `--pwfile=${secret}`, '--no-sync']
  const kind = ['-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C']
  const made = spawnSync(join(bin, 'initdb'), [...files, ...kind], { ...owner, cwd: top, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  const port = await freePort()
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', top]
  let server: Running | undefined
  const start = async (): Promise<void> => {
    const one = started(args, { ...owner, cwd: top, command: join(bin, 'postgres'), errors: true })
    server = one
    await until(one, () => one.printed().includes('ready to accept connections'))
    if (one.over()) throw new Error(`postgres: ${one.printed()}`)
  }
  const stop = async (how: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    if (!server || server.over()) return
    server.child.kill(how)
    await server.ended
  }
  await start()
  return {
    ...{ password, port, start, stop },
    url: `postgres://toolkit:${password}@127.0.0.1:${port}/postgres`,
    remove: async () => {
      await stop('SIGINT')
      rmSync(top, { recursive: true, force: true })
    },
  }
}

function programs(): string {
  const top = '/usr/lib/postgresql'
  const versions = existsSync(top) ? readdirSync(top).sort((a, b) => Number(a) - Number(b)) : []
  const latest = versions.at(-1)
  if (latest === undefined) throw new Error('no PostgreSQL: `apt-get install postgresql` adds it')
  return join(top, latest, 'bin')
}

function idsOf(user: string): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout),
  )
  if (!uid || !gid) throw new Error(`no user ${user}`)
  return { uid, gid }
}
