import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type QueueRunner, queueRunner, queueWorker } from 'tpu-toolkit/queue'
import { type Metrics, makeTrial, type Params, type Row, runSweep, threadRunner } from 'tpu-toolkit/sweep'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { mayMount } from '../../scripts/disks/troubles.js'
import { startPostgres, type TestPostgres } from '../../scripts/startPostgres.js'
import { root } from '../support/project.js'

// A PostgreSQL of our own, and workers that are processes. Needs Debian's package postgresql, and npm run build.
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

const rowsOf = (runner: { run: QueueRunner['run'] }, list: readonly Params[]): Promise<Row[]> =>
  Promise.all(list.map((params) => runner.run(makeTrial(params))))

const claimed = (): Promise<boolean> =>
  asked<{ count: string }>('select count(*) from tpu_toolkit.claims').then(([row]) => row?.count !== '0')

describe('queueRunner', () => {
  it('gives the rows of threads, and a file of results with the same bytes', async () => {
    const space = { lr: Array.from({ length: 20 }, (_, i) => i / 7) }
    const threads = threadRunner({ experiment, workers: 1 })
    await runSweep({ experiment, space, path: 'local.jsonl', runner: threads })
    await threads.close()
    worker('--workers', '2')
    worker('--workers', '2')
    await runSweep({ experiment, space, path: 'queue.jsonl', runner: await sweepOf() })
    expect(readFileSync('queue.jsonl', 'utf8')).toBe(readFileSync('local.jsonl', 'utf8'))
  })

  it('runs a trial once that is asked for twice, by itself and by another', async () => {
    const [one, other] = [await sweepOf(), await sweepOf({ name: `sweep ${sweeps}` })]
    const list = Array.from({ length: 10 }, (_, lr) => ({ lr, ms: 20 }))
    const both = Promise.all([rowsOf(one, list), rowsOf(other, list), rowsOf(one, list)])
    const victim = worker('--workers', '1')
    const [first, second, third] = await both
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    // Taken once: a job that is taken again has counted that.
    const jobs = await asked(
      `select state, retry_count, count(*)::int as count from tpu_toolkit.job where name = '${one.name}' group by 1, 2`,
    )
    expect(jobs).toEqual([{ state: 'completed', retry_count: 0, count: 10 }])
    const late = await sweepOf({ name: one.name })
    victim.process.kill('SIGKILL')
    expect(await rowsOf(late, list)).toEqual(first)
  })

  it('hands on what a run reports on its way', async () => {
    worker('--workers', '2')
    const runner = await sweepOf()
    const told = new Map<number, [number, Metrics][]>([0, 1].map((lr) => [lr, []]))
    await Promise.all(
      [...told].map(([lr, list]) =>
        runner.run(makeTrial({ lr, reports: 35 }), (step, metrics) => void list.push([step, metrics])),
      ),
    )
    for (const [lr, list] of told) {
      // Once a second the last one: of three and a half seconds not less than one, and no more than there are seconds.
      expect(list.length).toBeGreaterThan(0)
      expect(list.length).toBeLessThan(35)
      for (const [step, metrics] of list) expect(metrics).toEqual({ loss: lr / step, nan: Number.NaN })
      const steps = list.map(([step]) => step)
      expect(steps).toEqual([...steps].sort((a, b) => a - b))
    }
  })

  it('sets a trial aside that fails three times, tells its error, and runs it again when asked to', async () => {
    worker('--workers', '1')
    const runner = await sweepOf()
    const [bad, good] = [makeTrial({ lr: 1, bad: true }), makeTrial({ lr: 2 })]
    const [failed] = await Promise.allSettled([runner.run(bad), runner.run(good)])
    const why = 'sweepExperiment.mjs: failed, it is bad [lr 1, bad true]'
    expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'TrialFailed', message: why } })
    expect([...runner.failed]).toEqual([[bad.key, why]])
    const failures = async (): Promise<number> =>
      (await asked<{ failures: number }>('select failures from tpu_toolkit.troubles'))[0]!.failures
    expect(await failures()).toBe(3)
    const again = await sweepOf({ name: runner.name })
    await expect(again.run(bad)).rejects.toThrow('it is bad')
    expect(await failures()).toBe(3)
    const retried = await sweepOf({ name: runner.name, retryFailed: true })
    await expect(retried.run(bad)).rejects.toThrow('it is bad')
    expect(
      (
        await asked<{ retry_count: number }>(
          `select retry_count from tpu_toolkit.job where name = '${runner.name}' order by retry_count desc`,
        )
      )[0],
    ).toEqual({ retry_count: 5 })
  })

  it('refuses a name of another text of the experiment, and no worker runs one', async () => {
    const said: string[] = []
    const runner = await sweepOf({ log: (text) => said.push(text) })
    writeFileSync('other.mjs', 'export default () => ({ loss: 1 })\n')
    await expect(sweepOf({ name: runner.name, experiment: './other.mjs' })).rejects.toThrow(
      `queueRunner: its runs are of ./sweepExperiment.mjs, take another name for this sweep [${runner.name}]`,
    )
    const elsewhere = await sweepOf({ experiment: './other.mjs', log: (text) => said.push(text) })
    const row = elsewhere.run(makeTrial({ lr: 1 }))
    row.catch(() => {})
    writeFileSync('other.mjs', 'export default () => ({ loss: 2 })\n')
    const one = worker('--workers', '1')
    const refusal = 'its runs are of another text of other.mjs'
    await until(() => one.said().includes(`takes no run of ${elsewhere.name}: ${refusal}`))
    await until(() => said.some((text) => text.includes(refusal)))
  })

  it('says that nobody works', async () => {
    const said: string[] = []
    const runner = await sweepOf({ log: (text) => said.push(text) })
    runner.run(makeTrial({ lr: 1 })).catch(() => {})
    await until(() => said.length > 0)
    expect(said[0]).toBe(
      `no worker is connected: \`tpu-toolkit worker postgres://toolkit@127.0.0.1:${server.port}/postgres\` starts one, on any machine`,
    )
  })

  it.each([
    [
      'a wrong password',
      () => server.url.replace(server.password, 'wrong'),
      /password authentication failed/,
    ],
    ['another port', () => server.url.replace(String(server.port), '1'), /ECONNREFUSED/],
    ['no such database', () => server.url.replace(/postgres$/, 'nowhere'), /"nowhere" does not exist/],
  ])('says at once what is wrong with %s, without the password', async (_, url, message) => {
    const thrown = await queueRunner({ url: url(), experiment }).catch((error: Error) => error)
    expect(thrown).toMatchObject({ name: 'QueueFailed', message: expect.stringMatching(message) })
    expect(String(thrown)).not.toContain(server.password)
  })
})

describe('a worker', () => {
  it("that is killed: its run is another worker's within 30 seconds, and is kept once", async () => {
    const runner = await sweepOf()
    const row = runner.run(makeTrial({ lr: 1, ms: 4000 }))
    const victim = worker('--workers', '1')
    await until(claimed)
    victim.process.kill('SIGKILL')
    const killed = performance.now()
    worker('--workers', '1')
    await until(async () => {
      const [job] = await asked<{ retry_count: number }>(
        `select retry_count from tpu_toolkit.job where name = '${runner.name}' and state = 'active'`,
      )
      return job?.retry_count === 1
    })
    expect(performance.now() - killed).toBeLessThan(30_000)
    expect(await row).toMatchObject({ zeta: 1 / 3 })
    expect(
      await asked(`select deaths, failures, aside from tpu_toolkit.troubles where sweep = '${runner.name}'`),
    ).toEqual([{ deaths: 1, failures: 0, aside: false }])
  })

  it('that is stopped: others run what it had, and what it says later changes nothing', async () => {
    const runner = await sweepOf()
    const row = runner.run(makeTrial({ lr: 1, ms: 3000 }))
    const stopped = worker('--workers', '1')
    await until(claimed)
    stopped.process.kill('SIGSTOP')
    const stop = new AbortController()
    const other = queueWorker({ url: server.url, workers: 1, silence: 8, signal: stop.signal })
    expect(await row).toMatchObject({ zeta: 1 / 3 })
    stopped.process.kill('SIGCONT')
    await sleep(4000)
    stop.abort()
    expect(await other).toEqual({ done: 1, failed: 0, givenBack: 0 })
    const [kept] = await asked(
      `select count(*)::int as count from tpu_toolkit.results where sweep = '${runner.name}'`,
    )
    expect(kept).toEqual({ count: 1 })
    expect(await asked('select * from tpu_toolkit.claims')).toEqual([])
  })

  it('that hears Ctrl-C gives back what it runs, and says so', async () => {
    const runner = await sweepOf()
    const rows = rowsOf(runner, [
      { lr: 1, ms: 3000 },
      { lr: 2, ms: 3000 },
    ])
    const first = worker('--workers', '2')
    await until(async () => (await asked('select * from tpu_toolkit.claims')).length === 2)
    first.process.kill('SIGINT')
    expect(await first.ended).toEqual([130, null])
    expect(first.said()).toContain('worker: stopped; 0 runs done, 2 given back\n')
    expect(await asked('select * from tpu_toolkit.workers')).toEqual([])
    worker('--workers', '2', '--drain')
    expect(await rows).toHaveLength(2)
    expect(await workers.at(-1)!.ended).toEqual([0, null])
    expect(workers.at(-1)!.said()).toMatch(/2 runs done\n$/)
  })

  it('never shows the password', async () => {
    const one = worker('--drain')
    const [badly, drained] = [worker('--worker=4'), worker('--patience', server.url)]
    await Promise.all([one, badly, drained].map(({ ended }) => ended))
    for (const { said } of [one, badly, drained]) {
      expect(said()).not.toBe('')
      expect(said()).not.toContain(server.password)
    }
  })
})

it('a server that dies in the middle is waited for: every row comes, once', async () => {
  const said: string[] = []
  const runner = await sweepOf({ log: (text) => said.push(text) })
  const list = Array.from({ length: 30 }, (_, lr) => ({ lr, ms: 100 }))
  const rows = rowsOf(runner, list)
  const [one, other] = [worker('--workers', '1'), worker('--workers', '1')]
  await until(async () => (await asked('select * from tpu_toolkit.workers')).length === 2)
  for (const how of ['SIGKILL', 'SIGINT'] as const) {
    await server.stop(how)
    await sleep(1500)
    await server.start()
    await sleep(1500)
  }
  expect(await rows).toHaveLength(list.length)
  const [kept] = await asked(
    `select count(*)::int as count from tpu_toolkit.results where sweep = '${runner.name}'`,
  )
  expect(kept).toEqual({ count: list.length })
  for (const text of [() => said.join('\n'), one.said, other.said]) {
    expect(text()).toContain('the connection was lost, trying again')
    // A worker may still be waiting for its next attempt when the other one has run the last trial.
    await until(() => text().includes('connected again'))
    expect(text()).not.toContain(server.password)
  }
})

// Where this process may not mount, no disk can be filled that is nobody else's.
const disks = mayMount(mkdtempSync(join(tmpdir(), 'mounts-'))) ? ['a tmpfs'] : []
it.each(disks)(
  'a server whose disk, %s, is full is waited for: said, rows wait, and every one comes, once',
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'full-'))
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tpu-toolkit', disk])
    const [before, own] = [process.env['TMPDIR'], server]
    process.env['TMPDIR'] = disk
    server = await startPostgres().finally(() => {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    })
    onTestFinished(async () => {
      await server.remove()
      server = own
      spawnSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    })
    const runner = await sweepOf()
    const list = Array.from({ length: 20 }, (_, lr) => ({ lr, ms: 100, size: 10_000 }))
    const rows = rowsOf(runner, list)
    const one = worker('--workers', '1')
    await until(claimed)
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'rest')}`, 'bs=4k'])
    await until(() => /the database lacks something, trying again \[.*No space left/.test(one.said()))
    await sleep(2000)
    rmSync(join(disk, 'rest'))
    expect(await rows).toHaveLength(list.length)
    const [kept] = await asked(
      `select count(*)::int as count from tpu_toolkit.results where sweep = '${runner.name}'`,
    )
    expect(kept).toEqual({ count: list.length })
    expect(one.said()).toContain('the database takes it again')
  },
)
