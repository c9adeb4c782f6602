import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built, ensure, killOptions, type Running, started } from './harness.js'
import { startPostgres } from './startPostgres.js'

// npm run test:kills:queue -- [--kills 30] [--seed 1] [--jobs 120]
//
// Four workers take the runs of a sweep from a PostgreSQL of our own. At random moments one of them, or the sweep's command, is killed
// and begun again; one in eight times a worker is stopped for a while instead, and once a round the server is killed. Each round
// ends with the file of results of a sweep in threads, to the byte; in the database each row is there once, and no job is left.

const { values, kills, random } = killOptions('kills of queues', '30', { jobs: '120' })
const jobs = Number(values['jobs'])
const folder = mkdtempSync(join(tmpdir(), 'kills-of-queues-'))
const main = built('cli/main.js').pathname

writeFileSync(
  join(folder, 'experiment.mjs'),
  `export default ({ lr, round }) => {
  const until = performance.now() + 200 + (lr % 7) * 60
  while (performance.now() < until);
  return { zeta: lr / 3 + round, loss: Math.sin(lr), alpha: [lr, null] }
}\n`,
)

const begun = (args: readonly string[]): Running => started([main, ...args], { cwd: folder, errors: true })

const foundNoServer = (one: Running): boolean => one.over() && /: cannot connect to /.test(one.printed())

const server = await startPostgres()
const worker = (): Running => begun(['worker', server.url, '--workers', '1'])
const workers = Array.from({ length: 4 }, worker)

/** What the database says. */
function asked(sql: string): string {
  const { stdout, stderr, status } = spawnSync('psql', [server.url, '-Atc', sql], { encoding: 'utf8' })
  ensure(status === 0, `psql: ${stderr}`)
  return stdout.trim()
}

const rates = Array.from({ length: jobs }, (_, i) => i).join(',')
const sweepArgs = (round: number, out: string): string[] => [
  ...['sweep', './experiment.mjs', '--lr', rates, '--round', String(round), '--out', out],
]
const holders = 'select distinct pid from tpu_toolkit.claims join tpu_toolkit.workers on id = worker'
let done = 0

async function disturb(sweep: Running, again: () => Running): Promise<Running> {
  const one = Math.floor(5 * random())
  if (one === 4) {
    sweep.child.kill('SIGKILL')
    await sweep.ended
    return again()
  }
  // Mostly one that runs something: the others have nothing to lose.
  const busy = random() < 0.8 ? new Set(asked(holders).split('\n')) : new Set<string>()
  const found = workers.findIndex(({ child: { pid } }) => busy.has(String(pid)))
  const victim = found < 0 ? one : found
  const { child, ended } = workers[victim]!
  if (random() < 1 / 8) {
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), 5000 * random())
    return sweep
  }
  child.kill('SIGKILL')
  await ended
  workers[victim] = worker()
  return sweep
}

async function round(number: number): Promise<void> {
  const [local, queued] = [`local-${number}`, `queue-${number}`]
  const undisturbed = begun([...sweepArgs(number, local), '--workers', '2'])
  await undisturbed.ended
  ensure(undisturbed.child.exitCode === 0, undisturbed.printed())
  const again = (): Running =>
    begun([...sweepArgs(number, queued), '--queue', server.url, '--queue-name', queued])
  let sweep = again()
  const serverAt = done + Math.floor(6 * random())
  for (;;) {
    await Promise.race([sleep(1000 + 4000 * random()), sweep.ended])
    // Who begins while the server is away says so and ends, as is right: somebody begins it again.
    for (const [i, one] of workers.entries()) if (foundNoServer(one)) workers[i] = worker()
    if (foundNoServer(sweep)) sweep = again()
    if (sweep.over()) break
    if (done >= kills) continue
    if (done === serverAt) {
      await server.stop('SIGKILL')
      await sleep(1000 * random())
      await server.start()
    } else {
      sweep = await disturb(sweep, again)
    }
    done++
  }
  ensure(sweep.child.exitCode === 0, sweep.printed())
  const bytes = (out: string): string => readFileSync(join(folder, out, 'rows.jsonl'), 'utf8')
  ensure(bytes(queued) === bytes(local), `round ${number}: other bytes than in threads`)
  const files = readdirSync(join(folder, queued)).sort().join(' ')
  ensure(files === 'index.html rows.jsonl', `round ${number}: left behind ${files}`)
  const rows = asked(`select count(*) from tpu_toolkit.results where sweep = '${queued}'`)
  ensure(rows === String(jobs), `round ${number}: ${rows} rows of ${jobs}`)
  const text = [sweep, ...workers].map(({ printed }) => printed()).join('\n')
  ensure(!text.includes(server.password), 'the password was printed')
}

console.log(`seed ${values['seed']}: ${kills} kills, ${jobs} jobs a round`)
let bad = 0
let rounds = 0
try {
  while (done < kills) await round(++rounds)
  // Claims of workers that were killed last are given back by the others.
  for (let i = 0; asked('select count(*) from tpu_toolkit.claims') !== '0'; i++) {
    ensure(i < 60, 'claims are left')
    await sleep(1000)
  }
  const states = asked('select distinct state from tpu_toolkit.job')
  const aside = asked('select count(*) from tpu_toolkit.troubles where aside')
  ensure(aside === '0', `${aside} jobs were set aside`)
  const again = asked('select count(*) from tpu_toolkit.job where retry_count > 0')
  console.log(
    `${done} kills, ${rounds} rounds: the bytes of sweeps in threads, each row once; ${again} runs were begun again; jobs are ${states.split('\n').join(', ')}`,
  )
} catch (error) {
  bad++
  console.log(error instanceof Error ? error.message : String(error))
}
for (const { child, ended } of workers) {
  child.kill('SIGCONT')
  child.kill('SIGKILL')
  await ended
}
await server.remove()
rmSync(folder, { recursive: true })
process.exit(bad === 0 ? 0 : 1)
