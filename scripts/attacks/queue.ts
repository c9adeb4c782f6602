import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queueRunner, queueWorker } from 'tpu-toolkit/queue'
import type { SeededStream } from 'tpu-toolkit/random'
import { makeTrial } from 'tpu-toolkit/sweep'
import { startPostgres } from '../startPostgres.js'
import { noise, odd, pick } from './victim.js'

interface Client {
  connect(): Promise<void>
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  end(): Promise<void>
}

/** A sweep and a worker whose database gets notifications, jobs and sweeps of somebody else; needs Debian's package postgresql. */
export async function attackQueue(random: SeededStream, attempts: number): Promise<string> {
  const server = await startPostgres()
  const home = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'attack-queue-'))
  const outside = mkdtempSync(join(tmpdir(), 'attack-outside-'))
  const { Client } = createRequire(import.meta.url)('pg') as { Client: new (url: string) => Client }
  const client = new Client(server.url)
  const stop = new AbortController()
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
  try {
    process.chdir(folder)
    writeFileSync('fine.mjs', 'export default ({ lr }) => ({ loss: lr })\n')
    const evil = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(outside, 'mark'))}, '')\n`
    writeFileSync('exits.mjs', 'process.exit(1)\n')
    writeFileSync('evil.mjs', evil)
    writeFileSync(join(outside, 'evil.mjs'), evil)
    const runner = await queueRunner({ url: server.url, experiment: './fine.mjs', name: 'a sweep' })
    await client.connect()
    const row = runner.run(makeTrial({ lr: 3 }), () => undefined)
    const worker = queueWorker({ url: server.url, workers: 1, signal: stop.signal })
    const channel = `tpu_toolkit_${createHash('sha256').update('a sweep').digest('hex').slice(0, 24)}`
    const text = (): string =>
      pick(random, [
        JSON.stringify(odd(random)) ?? '',
        Buffer.from(noise(random, 500)).toString('base64'),
        '{',
        '',
      ])
    for (let i = 0; i < attempts; i++) {
      const report = JSON.stringify({ job: odd(random), step: odd(random), metrics: odd(random) })
      const payload = pick(random, [text(), report]).slice(0, 7000).replaceAll('\0', '')
      await client.query('select pg_notify($1, $2)', [pick(random, [channel, 'tpu_toolkit_jobs']), payload])
      if (i % 20 !== 0) continue
      const [name, path] = [
        `stranger ${i}`,
        pick(random, [
          join(outside, 'evil.mjs'),
          './evil.mjs',
          './exits.mjs',
          './fine.mjs',
          '../../etc/passwd',
          text(),
        ]),
      ]
      const hash =
        path === './exits.mjs'
          ? digest('process.exit(1)\n')
          : path === './evil.mjs'
            ? digest('other')
            : digest(evil)
      await client.query(
        `insert into tpu_toolkit.sweeps (name, experiment, digest, toolkit) select $1, $2, $3, toolkit from tpu_toolkit.sweeps limit 1`,
        [name, path.replaceAll('\0', ''), hash],
      )
      await client.query(`select tpu_toolkit.create_queue($1, '{"policy":"standard"}')`, [name])
      for (const queue of [name, 'a sweep']) {
        const data = JSON.stringify(pick(random, [{ trial: text() }, odd(random)])).replaceAll('\\u0000', '')
        // What the database itself refuses reaches nobody.
        await client
          .query('insert into tpu_toolkit.job (name, data) values ($1, $2::jsonb)', [queue, data])
          .catch(() => undefined)
      }
    }
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('queue: no row in 60 s')), 60_000).unref(),
    )
    const { loss } = await Promise.race([row, late, worker.then(() => row)])
    if (loss !== 3) throw new Error('queue: another row')
    stop.abort()
    await worker
    await runner.close()
    if (readdirSync(outside).includes('mark')) {
      throw new Error('queue: a module was imported that no worker was given')
    }
    return `the row came after ${attempts} notifications`
  } finally {
    stop.abort()
    await client.end().catch(() => {})
    process.chdir(home)
    await server.remove()
    for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true })
  }
}
