import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type QueueRunner, queueRunner } from 'tpu-toolkit/queue'
import { findExperiment, makeTrial } from 'tpu-toolkit/sweep'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres, type TestPostgres } from '../../scripts/startPostgres.js'
import { resultsChannel } from '../../src/adapters/queue/jobId.js'
import { root } from '../support/project.js'

// What others who may write to the database can do to sweeps and workers. Needs Debian's package postgresql, and npm run build.
let server: TestPostgres
let folder: string
const home = process.cwd()
const experiment = './sweepExperiment.mjs'
const open: { close(): Promise<void> }[] = []
const workers: Worker[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'queue-'))
  copyFileSync(`${root}test/services/sweepExperiment.mjs`, join(folder, 'sweepExperiment.mjs'))
  process.chdir(folder)
  server = await startPostgres()
})
afterEach(async () => {
  for (const { process: child, ended } of workers.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  for (const each of open.splice(0)) await each.close()
  // What is left in the queue is not for the workers of the next test.
  await asked('drop schema if exists tpu_toolkit cascade')
})
afterAll(async () => {
  process.chdir(home)
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

interface Worker {
  readonly process: ChildProcess
  readonly ended: Promise<unknown>
  /** What it printed. */
  said(): string
}

/** `tpu-toolkit worker` in a process of its own. */
function worker(...args: string[]): Worker {
  const child = spawn(process.execPath, [`${root}dist/cli/main.js`, 'worker', server.url, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      said += data.toString()
    })
  }
  const made = { process: child, ended: once(child, 'exit'), said: () => said }
  workers.push(made)
  return made
}

let sweeps = 0
async function sweepOf(options: Partial<Parameters<typeof queueRunner>[0]> = {}): Promise<QueueRunner> {
  const runner = await queueRunner({
    ...{ url: server.url, experiment, name: `sweep ${++sweeps}` },
    ...options,
  })
  open.push(runner)
  return runner
}

async function until<T>(ask: () => T | Promise<T>, seconds = 60): Promise<T> {
  const began = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() - began > seconds * 1000) throw new Error(`nothing came in ${seconds} seconds`)
    await sleep(100)
  }
}

/** Asks the database itself. */
async function asked<T>(sql: string): Promise<T[]> {
  const { Client } = createRequire(import.meta.url)('pg') as {
    Client: new (
      url: string,
    ) => {
      connect(): Promise<void>
      query(sql: string): Promise<{ rows: T[] }>
      end(): Promise<void>
    }
  }
  const client = new Client(server.url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('a database that others may write to', () => {
  it('ends no sweep that waits by a malformed notification', async () => {
    const runner = await sweepOf()
    const row = runner.run(makeTrial({ lr: 1 }), () => undefined)
    const channel = resultsChannel(runner.name)
    const texts = ['{', '{"job":1}', '{"job":"a","step":1}', 'null', '', '{}', "'' or 1", 'x'.repeat(7000)]
    for (const text of texts) {
      await asked(`select pg_notify('${channel}', '${text.replaceAll("'", "''")}')`)
    }
    await sleep(500)
    worker('--drain')
    expect(await row).toMatchObject({ zeta: 1 / 3 })
  })

  it.each(['', ' ', '\0', 'Übung'])('refuses the name %j of a sweep, and leaves no row', async (name) => {
    await sweepOf()
    await expect(sweepOf({ name })).rejects.toThrow(
      'queueRunner: the name of a sweep is not 1 to 200 printable',
    )
    expect(await asked('select name from tpu_toolkit.sweeps')).toHaveLength(1)
  })

  it('imports no module that a worker was not given: not from elsewhere, not with other bytes', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    const marks = (name: string): string =>
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(outside, name))}, '')\nexport default () => ({ loss: 1 })\n`
    writeFileSync(join(outside, 'evil.mjs'), marks('elsewhere'))
    writeFileSync('exits.mjs', 'process.exit(3)\n')
    writeFileSync('fine.mjs', 'export default () => ({ loss: 1 })\n')
    const runner = await sweepOf()
    const digest = (path: string): string => findExperiment(path).digest!
    const facts = `toolkit from tpu_toolkit.sweeps where name = '${runner.name}'`
    const put = async (name: string, path: string, hash: string): Promise<void> => {
      await asked(
        `insert into tpu_toolkit.sweeps (name, experiment, digest, toolkit) select '${name}', '${path}', '${hash}', ${facts}`,
      )
      await asked(`select tpu_toolkit.create_queue('${name}', '{"policy":"standard"}')`)
      await asked(
        `insert into tpu_toolkit.job (name, data) values ('${name}', '{"trial":"{\\"params\\":{\\"lr\\":1}}"}')`,
      )
    }
    writeFileSync('marked.mjs', marks('bytes'))
    await put('elsewhere', join(outside, 'evil.mjs'), digest(join(outside, 'evil.mjs')))
    await put('bytes', './marked.mjs', '0123456789abcdef')
    await put('exits', './exits.mjs', digest('exits.mjs'))
    await put('no trial', './fine.mjs', digest('fine.mjs'))
    await asked(`update tpu_toolkit.job set data = '{"trial":"{"}' where name = 'no trial'`)
    const row = runner.run(makeTrial({ lr: 1 }))
    const one = worker('--workers', '1')
    expect(await row).toMatchObject({ zeta: 1 / 3 })
    await until(() => one.said().includes('takes no run of elsewhere: the file is outside of the folders'))
    await until(() =>
      one.said().includes('takes no run of bytes: its runs are of another text of marked.mjs'),
    )
    await until(() => /takes no run of exits: .*code: 3/.test(one.said()))
    await until(async () => {
      const [trouble] = await asked<{ error: string }>('select error from tpu_toolkit.troubles where aside')
      return trouble?.error.startsWith('the trial in the database is none')
    })
    expect(one.process.exitCode).toBeNull()
    expect(readdirSync(outside)).toEqual(['evil.mjs'])
  })
})
