import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listCheckpoints, readCheckpoint } from 'tpu-toolkit/checkpoint'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { dist } from '../harness.js'

// Programs that write to a disk which fails them.

/** A program, and what is to be true of its folder. */
export interface Victim {
  readonly name: string
  /** JavaScript; `folder` is where it writes. It says how far it came for good, and 'end'. */
  readonly program: string
  /** The bytes of a disk that is full before the program is at its end. */
  readonly room: number
  /** How far a folder is for good; 0 where there is nothing. Throws where something in it is not whole. */
  readonly found: (folder: string) => number
}

/** What a program begins with: a word on every line, a pause after each, errors as a line too. */
export const preamble = `
import { writeSync } from 'node:fs'
const folder = process.argv[2]
const say = (what) => writeSync(1, what + '\\n')
const pause = () => new Promise((done) => setTimeout(done, Number(process.argv[3])))
const fail = (error) => { say('! ' + error.message); process.exit(3) }
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
`

/** Two checkpoints of about 80 KiB have room, no third. */
const room = 200 * 1024

export const victims: readonly Victim[] = [
  {
    name: 'train',
    room,
    program: `
import { latest } from '${dist('checkpoint')}'
import { add, zeros } from '${dist('tensor')}'
import { train } from '${dist('train')}'
const { step } = await train({
  init: () => ({ x: zeros([20000]), n: 0 }),
  step: async ({ x, n }) => { await pause(); return { x: add(x, 1), n: n + 1, loss: n } },
  data: () => null, steps: 20, signals: [],
  checkpoint: { folder, every: 2, keep: [latest(2)] },
  // When a save begins, the one before it is on the disk.
  callbacks: [{ onStep: ({ step }) => say(Math.max(0, 2 * Math.floor((step - 1) / 2) - 2)) }],
})
say(step)
say('end')`,
    found: checkpointIn,
  },
  {
    name: 'checkpoint',
    room,
    program: `
import { latest, openCheckpoints } from '${dist('checkpoint')}'
import { full } from '${dist('tensor')}'
const saved = openCheckpoints(folder, { keep: [latest(2)] })
for (let step = (saved.list().at(-1)?.step ?? 0) + 1; step <= 10; step++) {
  await saved.save(step, { tensors: { x: full([20000], step) } })
  await saved.wait()
  say(step)
  await pause()
}
await saved.close()
say('end')`,
    found: checkpointIn,
  },
  {
    name: 'replay',
    room: 100 * 1024,
    program: `
import { existsSync } from 'node:fs'
import { ReplayBuffer } from '${dist('replay')}'
const path = folder + '/buffer'
const own = { prefetch: 'in-process' }
const buffer = existsSync(path) ? ReplayBuffer.load(path, own) : new ReplayBuffer({ capacity: 30, obsDim: 400, actionDim: 1, ...own })
while (buffer.added < 30) {
  const n = buffer.added
  buffer.add({ obs: new Array(400).fill(n), action: n, reward: n, nextObs: new Array(400).fill(n + 1), terminated: false })
  buffer.save(path)
  say(n + 1)
  await pause()
}
say('end')`,
    found: (folder) => {
      const path = join(folder, 'buffer')
      if (!existsSync(path)) return 0
      const buffer = ReplayBuffer.load(path, { prefetch: 'in-process' })
      const rows = Array.from({ length: buffer.size }, (_, i) => i)
      buffer.gather(rows).obs.forEach((x, i) => {
        if (x !== Math.floor(i / 400)) throw new Error(`row ${Math.floor(i / 400)} is another`)
      })
      return buffer.added
    },
  },
  {
    name: 'sweep',
    room: 12 * 1024,
    program: `
import { sweepGrid } from '${dist('step2750')}'
import { sweep } from '${dist('step2750Files')}'
const grid = sweepGrid({ seed: Array.from({ length: 100 }, (_, i) => i) })
let turn = Promise.resolve()
const run = (options) => (turn = turn.then(pause).then(() => ({ options, stepsRun: options.seed, firstNonFiniteStep: null, nonFiniteSteps: 0, medianLoss: 1, largestSpan: 0.5 })))
await sweep(grid, { path: folder + '/rows.jsonl', run, onRow: say })
say('end')`,
    found: (folder) => {
      const path = join(folder, 'rows.jsonl')
      return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length - 1 : 0
    },
  },
]

function checkpointIn(folder: string): number {
  const all = listCheckpoints(folder)
  const refused = all.find((one) => one.refused !== undefined)
  if (refused) throw new Error(`step ${refused.step} ${refused.refused}`)
  return all.length === 0 ? 0 : readCheckpoint(folder).step
}
