import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { integers, localRunner, type Runner, runSweep, threadRunner } from 'tpu-toolkit/sweep'
import { queueWithWorkers, stopQueue } from './queueWithWorkers.js'

// npm run bench:sweep -- [--trials 1000] [--runs 3] [--workers 1,2,4] [--work 0] [--queue]
//
// What a sweep costs beside its runs: so many trials of an experiment that does nothing (or takes `--work` milliseconds of a
// processor), in this thread and in worker threads, every row on disk before the next counts. The bytes of the file are the
// same each time, or it fails. Threads are started before the clock is. With `--queue` also over a PostgreSQL of its own (Debian's
// package postgresql), taken by so many `tpu-toolkit worker`, each a process with one thread; its processors are this process's.

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '3' },
    workers: { type: 'string', default: '1,2,4' },
    work: { type: 'string', default: '0' },
    queue: { type: 'boolean', default: false },
  },
})
const [trials, runs, work] = [Number(values.trials), Number(values.runs), Number(values.work)]
const folder = mkdtempSync(join(tmpdir(), 'bench-sweep-'))
const file = join(folder, 'nothing.mjs')
writeFileSync(
  file,
  `export default function nothing({ i }) {
  const until = performance.now() + ${work}
  while (performance.now() < until);
  return { loss: i % 7 }
}\n`,
)
const { default: nothing } = (await import(file)) as { default: (params: object) => { loss: number } }

interface Column {
  readonly name: string
  readonly open: () => Runner | Promise<Runner>
  /** Of one worker: what others are compared with. */
  readonly first?: boolean
}

const counts = values.workers.split(',').map(Number)
const columns: readonly Column[] = [
  { name: 'this thread', open: () => localRunner(nothing) },
  ...counts.map((workers) => ({
    name: `${workers} thread${workers === 1 ? '' : 's'}`,
    open: () => threadRunner({ experiment: file, workers }),
    first: workers === 1,
  })),
  ...counts.flatMap((workers) =>
    values.queue
      ? {
          name: `queue, ${workers} worker${workers === 1 ? '' : 's'}`,
          open: () => queueWithWorkers(file, workers),
          first: workers === 1,
        }
      : [],
  ),
]

let right: string | undefined
const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]!

console.log(`${trials} trials of ${work} ms, median of ${runs} runs, Node ${process.version}`)
let first: number | undefined
for (const { name, open, first: alone } of columns) {
  const wall: number[] = []
  const processor: number[] = []
  for (let run = 0; run < runs; run++) {
    const runner = await open()
    const path = join(folder, 'rows.jsonl')
    const sweep = (count: number, at: string) =>
      runSweep({ experiment: file, space: { i: integers(1, count) }, path: at, runner })
    await sweep(8, join(folder, 'warm.jsonl'))
    const [began, used] = [performance.now(), process.cpuUsage()]
    await sweep(trials, path)
    const { user, system } = process.cpuUsage(used)
    wall.push((performance.now() - began) / trials)
    processor.push((user + system) / 1000 / trials)
    await runner.close()
    const text = readFileSync(path, 'utf8')
    right ??= text
    if (text !== right) throw new Error(`bench:sweep: ${name} ends with other bytes`)
    rmSync(path)
    rmSync(join(folder, 'warm.jsonl'))
  }
  const took = median(wall)
  if (alone) first = took
  const speedup = first === undefined || alone ? '' : `, ${(first / took).toFixed(2)} times one of them`
  console.log(
    `${name.padEnd(16)} ${took.toFixed(3)} ms for each trial (${(took - (work > 0 ? work : 0)).toFixed(3)} beside it), ${median(processor).toFixed(3)} ms of processors${speedup}`,
  )
}
rmSync(folder, { recursive: true })
await stopQueue()
