import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { latest, openCheckpoints, readCheckpoint } from 'tpu-toolkit/checkpoint'
import { Tensor } from 'tpu-toolkit/tensor'

// npm run bench:checkpoint -- [--megabytes 16] [--runs 11]
//
// How long `save` holds up a run, beside a copy of the same tensors into memory that is there already: both in one process, in
// turns, the median of some runs. And how long the disk takes, which the run does not wait for: the longest time in which nothing
// else ran meanwhile, an old checkpoint's removal included.

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '16' }, runs: { type: 'string', default: '11' } },
})
const [megabytes, runs] = [Number(values.megabytes), Number(values.runs)]
const leaves = 16
const size = (megabytes * 2 ** 20) / 4 / leaves

const tensors = Object.fromEntries(
  Array.from({ length: leaves }, (_, i) => [
    `layer${i}`,
    new Tensor('float32', [size], new Float32Array(size).fill(i + 1)),
  ]),
)
const kept = new Float32Array(size * leaves)
const copy = (): void => {
  Object.values(tensors).forEach(({ data }, i) => {
    kept.set(data, i * size)
  })
}

async function milliseconds(what: () => void | Promise<void>): Promise<number> {
  const began = performance.now()
  await what()
  return performance.now() - began
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]!
const range = (all: readonly number[]): string =>
  `${median(all).toFixed(1)} ms (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`

const folder = mkdtempSync(join(tmpdir(), 'bench-checkpoint-'))
const checkpoints = openCheckpoints(folder, { keep: [latest(1)] })
/** Waits for the disk as a run does that goes on; gives the longest time between two turns. */
async function heldUp(): Promise<number> {
  let over = false
  const done = checkpoints.wait().finally(() => {
    over = true
  })
  let longest = 0
  while (!over) {
    const began = performance.now()
    await turn()
    longest = Math.max(longest, performance.now() - began)
  }
  await done
  return longest
}

const times = { copy: [] as number[], save: [] as number[], disk: [] as number[], held: [] as number[] }
// The first save begins the thread and takes its memory from the system.
for (let run = 0; run <= runs; run++) {
  const copied = await milliseconds(copy)
  const saved = await milliseconds(() => checkpoints.save(run, { tensors }))
  let held = 0
  const disk = await milliseconds(async () => {
    held = await heldUp()
  })
  if (run === 0) continue
  times.copy.push(copied)
  times.save.push(saved)
  times.disk.push(disk)
  times.held.push(held)
}
await checkpoints.close()
const back = readCheckpoint<typeof tensors>(folder).tensors
if (!Object.entries(tensors).every(([name, { data }]) => back[name]?.data.every((x, i) => x === data[i]))) {
  throw new Error('bench:checkpoint: other numbers came back')
}
rmSync(folder, { recursive: true })
console.log(`${megabytes} MiB in ${leaves} tensors, ${runs} runs, Node ${process.version}`)
console.log(`copy into kept memory   ${range(times.copy)}`)
const more = times.save.map((saved, i) => saved - times.copy[i]!)
console.log(
  `save, as a run waits    ${range(times.save)}: ${(median(times.save) / median(times.copy)).toFixed(2)} copies, ${median(more).toFixed(1)} ms more than the copy of its turn`,
)
console.log(`then until it is there  ${range(times.disk)}, in the thread`)
console.log(`longest pause meanwhile ${range(times.held)}`)
