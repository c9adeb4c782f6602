import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSafetensors, writeSafetensors } from 'tpu-toolkit/files'
import { appendRecords, openRecords } from 'tpu-toolkit/pipeline'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { runStep2750, type SweepRow, sweepGrid } from 'tpu-toolkit/step2750'
import { checkpointFile, sweep } from 'tpu-toolkit/step2750Files'
import {
  asha,
  grid as everyCombination,
  integers,
  type Params,
  runSweep,
  type SweepOptions,
  type TrialContext,
} from 'tpu-toolkit/sweep'
import { dist, ensure, inFolder, killOptions, newFolder, started, until } from './harness.js'

// npm run test:kills -- [--kills 20] [--seed 1] [--only records]
//
// Programs that write records, replay buffers, safetensors, a sweep, one by successive halving, and the checkpoints of the step-2750 experiment are
// killed so many times each, every other time at any moment, else before one of their calls to the file system, and go
// on. Whatever they had said was written is there and whole, and after the next write nothing else is: no lock, no
// temporary file. A program that comes to its end begins anew. Nothing is timed: a machine may be as slow as it likes, as
// long as a program is not silent for `patience`.

const { values, kills, random } = killOptions('kills', '20')
const patience = 300_000

interface Victim {
  readonly name: string
  /** The program; `path` is its file. After each write it prints how many there were, 'end' where there are no more. */
  readonly program: string
  /** How many writes the file holds; throws where one is not whole. */
  readonly found: (path: string) => Promise<number> | number
  /** The next write of somebody else, and what is to be true at the end. */
  readonly next: (path: string) => Promise<void> | void
}

const grid = sweepGrid({ seed: Array.from({ length: 300 }, (_, i) => i) })
const row = (options: (typeof grid)[number]): SweepRow => ({
  options,
  stepsRun: options.seed,
  firstNonFiniteStep: null,
  nonFiniteSteps: 0,
  medianLoss: 1,
  largestSpan: 0.5,
})
/** Successive halving as its program has it. */
const bowl = ({ i }: Params, { steps = 1 }: TrialContext): { loss: number } => ({
  loss: ((Number(i) * 37) % 101) / steps,
})
const halving = (path: string): SweepOptions => ({
  experiment: bowl,
  space: { i: integers(0, 99) },
  search: asha({ over: everyCombination(), eta: 2, minSteps: 1, maxSteps: 8 }),
  metric: 'loss',
  path,
  workers: 1,
})
const run = { steps: 3000, seed: 3, length: 8 } as const

const victims: readonly Victim[] = [
  {
    name: 'records',
    program: `
import { existsSync } from 'node:fs'
import { appendRecords, openRecords, writeRecords } from '${dist('pipeline')}'
if (!existsSync(path)) writeRecords(path, [])
await appendRecords(path, [], { recover: true })
let n = (await openRecords(path)).length
for (;;) { await appendRecords(path, Array.from({ length: 10 }, () => 'record ' + n++), { blockBytes: 40 }); say(n) }`,
    found: async (path) => {
      const source = await openRecords(path, { recover: true })
      for (let i = 0; i < source.length; i++) {
        ensure(Buffer.from(await source.at(i)).toString() === `record ${i}`, `record ${i} is another`)
      }
      await source.close?.()
      return source.length
    },
    next: (path) => appendRecords(path, [], { recover: true }),
  },
  {
    name: 'replay',
    program: `
import { existsSync } from 'node:fs'
import { ReplayBuffer } from '${dist('replay')}'
const buffer = existsSync(path) ? ReplayBuffer.load(path, { prefetch: 'in-process' }) : new ReplayBuffer({ capacity: 200, obsDim: 400, actionDim: 1, prefetch: 'in-process' })
for (;;) { const n = buffer.added; buffer.add({ obs: new Array(400).fill(n), action: n, reward: n, nextObs: new Array(400).fill(n), terminated: false }); buffer.save(path); say(n + 1) }`,
    found: (path) => {
      const buffer = ReplayBuffer.load(path, { prefetch: 'in-process' })
      const rows = Array.from({ length: buffer.size }, (_, i) => buffer.oldest + i)
      buffer.gather(rows).obs.forEach((x, i) => {
        ensure(x === rows[Math.floor(i / 400)], `row ${Math.floor(i / 400)} is another`)
      })
      return buffer.added
    },
    next: (path) => ReplayBuffer.load(path, { prefetch: 'in-process' }).save(path),
  },
  {
    name: 'safetensors',
    program: `
import { existsSync } from 'node:fs'
import { readSafetensors, writeSafetensors } from '${dist('files')}'
import { tensor } from '${dist('tensor')}'
let n = existsSync(path) ? readSafetensors(path).tensors.a.toNumbers()[0] : 0
for (;;) { n++; const x = tensor(new Float32Array(60000).fill(n)); writeSafetensors(path, { a: x, b: [x] }); say(n) }`,
    found: (path) => {
      const { tensors } = readSafetensors(path)
      const [a, b] = [tensors['a']!.toNumbers(), tensors['b.0']!.toNumbers()]
      ensure(a.every((x) => x === a[0]) && b.every((x) => x === a[0]), 'two versions in one file')
      return a[0]!
    },
    next: (path) => writeSafetensors(path, readSafetensors(path).tree()),
  },
  {
    name: 'sweep',
    program: `
import { sweepGrid } from '${dist('step2750')}'
import { sweep } from '${dist('step2750Files')}'
const grid = sweepGrid({ seed: Array.from({ length: 300 }, (_, i) => i) })
const run = async (options) => { await new Promise((done) => setTimeout(done, options.seed * 3)); return { options, stepsRun: options.seed, firstNonFiniteStep: null, nonFiniteSteps: 0, medianLoss: 1, largestSpan: 0.5 } }
await sweep(grid, { path, run, onRow: say })
say('end')
for (;;) await new Promise((done) => setTimeout(done, 1000))`,
    found: async (path) => {
      let held = 0
      await sweep(grid, {
        path,
        run: () => Promise.reject(new Error('not now')),
        onRow: (done) => {
          held = done
        },
      }).catch((error: Error) => ensure(error.message === 'not now', error.message))
      return held
    },
    next: async (path) => {
      const rows = await sweep(grid, { path, run: async (options) => row(options) })
      ensure(JSON.stringify(rows) === JSON.stringify(grid.map(row)), 'other rows than without a kill')
    },
  },
  {
    name: 'asha',
    program: `
import { asha, grid, integers, runSweep } from '${dist('sweep')}'
const bowl = async ({ i }, { steps }) => { await new Promise((done) => setTimeout(done, 3)); return { loss: ((i * 37) % 101) / steps } }
const search = asha({ over: grid(), eta: 2, minSteps: 1, maxSteps: 8 })
await runSweep({ experiment: bowl, space: { i: integers(0, 99) }, search, metric: 'loss', path, workers: 1, onRow: say })
say('end')
for (;;) await new Promise((done) => setTimeout(done, 1000))`,
    found: async (path) => {
      let held = 0
      const runner = { run: () => Promise.reject(new Error('not now')), close: async () => {} }
      const onHeld = (rows: readonly unknown[]) => {
        held = rows.length
      }
      await runSweep({ ...halving(path), runner, onHeld }).catch((error: Error) =>
        ensure(error.message === 'not now', error.message),
      )
      return held
    },
    next: async (path) => {
      await runSweep(halving(path))
      const whole = `${path}.whole`
      await runSweep(halving(whole))
      ensure(readFileSync(path, 'utf8') === readFileSync(whole, 'utf8'), 'other bytes than without a kill')
      rmSync(whole)
    },
  },
  {
    name: 'nan',
    program: `
import { runStep2750 } from '${dist('step2750')}'
import { checkpointFile } from '${dist('step2750Files')}'
runStep2750(${JSON.stringify(run)}, { checkpoint: checkpointFile(path), checkpointEvery: 1 })
say('end')
for (;;) await new Promise((done) => setTimeout(done, 1000))`,
    found: (path) => (JSON.parse(readFileSync(path, 'utf8')) as { content: { step: number } }).content.step,
    next: (path) => {
      const { loss } = runStep2750(run, { checkpoint: checkpointFile(path), checkpointEvery: 1 })
      ensure(
        Buffer.from(loss.buffer).equals(Buffer.from(runStep2750(run).loss.buffer)),
        'another loss than without a kill',
      )
    },
  },
]

/** What a program begins with: it is killed before the call to the file system that it is told the number of. */
const aimed = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
let calls = Number(process.env.KILLED_AT || Infinity)
for (const name of ['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'linkSync', 'ftruncateSync']) {
  const call = fs[name]
  fs[name] = (...args) => {
    if (args[0] !== 1 && --calls <= 0) process.kill(process.pid, 'SIGKILL')
    return call(...args)
  }
}
syncBuiltinESMExports()
`

await inFolder('kills', async (top, attempt) => {
  console.log(`seed ${values['seed']}: ${kills} kills of each`)
  for (const victim of victims) {
    if (values['only'] !== undefined && values['only'] !== victim.name) continue
    await attempt(victim.name.padEnd(12), () => killed(victim, top))
  }
})

/** Kills a program again and again; what happened, in words. */
async function killed({ name, program, found, next }: Victim, top: string): Promise<string> {
  const folder = newFolder(top, name)
  const path = join(folder, 'file')
  const script = join(top, `${name}.mjs`)
  writeFileSync(
    script,
    `${aimed}import { writeSync } from 'node:fs'
const path = process.argv[2]
const say = (n) => writeSync(1, n + '\\n')
writeSync(1, '0\\n')
${program}`,
  )
  let [said, interrupted, runs] = [0, 0, 1]
  /** What is to be true of a file that nobody is writing. */
  const atRest = async (): Promise<void> => {
    await next(path)
    const left = readdirSync(folder).filter((entry) => entry !== 'file')
    ensure(left.length === 0, `left behind: ${left.join(', ')}`)
  }
  for (let i = 0; i < kills; i++) {
    const at = i % 2 === 1 ? String(1 + Math.floor(60 * random())) : ''
    const one = started([script, path], { env: { KILLED_AT: at } })
    const lines = (): string[] => one.printed().trim().split('\n')
    const watch = setInterval(() => {
      if (Date.now() - one.heard() > patience) one.child.kill('SIGKILL')
    }, 1000)
    await until(one, () => one.printed() !== '')
    // One that is not aimed at dies at any moment; the other before its call, unless it comes to its end first.
    const moment = at === '' ? Date.now() + 20 + 300 * random() : Number.POSITIVE_INFINITY
    await until(one, () => Date.now() > moment || lines().at(-1) === 'end')
    one.child.kill('SIGKILL')
    await one.ended
    clearInterval(watch)
    const { signalCode, exitCode } = one.child
    ensure(Date.now() - one.heard() < patience, `kill ${i}: nothing was heard for ${patience / 1000} s`)
    ensure(signalCode === 'SIGKILL', `kill ${i}: the program ended by itself, with ${exitCode}`)
    said = Math.max(said, ...lines().map(Number).filter(Number.isFinite))
    const left = readdirSync(folder)
    if (left.some((entry) => entry !== 'file')) interrupted++
    if (!left.includes('file')) continue
    const there = await found(path)
    ensure(there >= said, `kill ${i}: ${said} writes were said to be done, ${there} are there`)
    said = there
    if (lines().at(-1) !== 'end') continue
    await atRest()
    rmSync(path)
    said = 0
    runs++
  }
  if (readdirSync(folder).includes('file') || name === 'nan') await atRest()
  return `${kills} kills over ${runs} run${runs === 1 ? '' : 's'}, ${interrupted} in the midst of a write; nothing lost, nothing left`
}
