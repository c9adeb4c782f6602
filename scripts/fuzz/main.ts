import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { attack, input, type Outcome } from './attack.js'
import { fuzzCalls } from './calls.js'
import { canonical, quickFolder, readers } from './readers.js'

// npm run test:fuzz -- [--reader npy] [--count 10000] [--seed 1] [--seconds 600] [--write FOLDER]
//
// npm run test:fuzz -- --calls 20000 calls public functions in the place of that, as calls.ts says.
//
// Reads so many damaged files with every reader. Each has to be read or refused with an error of ours, within 5 s. With
// --write the files and what became of them go to a folder, for scripts/fuzz/compare.py.

const { values } = parseArgs({
  options: {
    reader: { type: 'string' },
    count: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    write: { type: 'string' },
    calls: { type: 'string' },
  },
})
const seed = Number(values.seed ?? process.env['TPU_TOOLKIT_SEED'] ?? Date.now() % 2 ** 31)
const count = Number(values.count)
const until = performance.now() + 1000 * Number(values.seconds)
if (values.calls !== undefined) {
  const calls = Number(values.calls)
  console.log(`seed ${seed}: ${calls} calls`)
  const faults = await fuzzCalls(calls, seed)
  for (const fault of faults) console.log(fault)
  console.log(`${faults.length} of ${calls} calls had the engine's words, or took 5 s`)
  process.exit(faults.length === 0 ? 0 : 1)
}
const folder = quickFolder()
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const all = await readers(folder)
const chosen = all.filter(
  ({ name }) => values.reader === undefined || values.reader.split(',').includes(name),
)
if (chosen.length === 0 || !Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) {
  console.error(
    `test:fuzz: readers are ${all.map(({ name }) => name).join(', ')}; --seed and --count are whole numbers`,
  )
  process.exit(2)
}
console.log(`seed ${seed}: ${count} inputs for each of ${chosen.map(({ name }) => name).join(', ')}`)

/** Inputs from .. on, in a thread that is ended where one takes longer than 5 s; returns where to go on. */
function stretch(name: string, from: number): Promise<{ next: number; found: string[]; note: string }> {
  return new Promise((resolve, reject) => {
    const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1)
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { name, seed, from, to: count, progress, folder },
      resourceLimits: { maxOldGenerationSizeMb: 2048 },
    })
    const found: string[] = []
    let note = ''
    let seen = { i: -1, since: performance.now() }
    const watch = setInterval(() => {
      const i = Atomics.load(progress, 0)
      const now = performance.now()
      if (i !== seen.i) seen = { i, since: now }
      const late = now > until
      // Before the first input the thread loads what it needs.
      if (!late && now - seen.since < (i < 0 ? 300_000 : 5000)) return
      clearInterval(watch)
      if (!late && i < 0) {
        void worker
          .terminate()
          .then(() => reject(new Error(`the thread of ${name} has not begun in 5 minutes`)))
        return
      }
      if (!late) found.push(`input ${i}: longer than 5 s`)
      note ||= late ? `stopped by the clock at ${i} of ${count}` : ''
      void worker.terminate().then(() => resolve({ next: late ? count : Math.max(i, from) + 1, found, note }))
    }, 250)
    worker.on('message', (message) => {
      if ('crashed' in message) {
        found.push(`input ${message.i}: ${message.crashed}`)
      } else {
        const { counts, slowest, peak } = message
        note = `${counts.read} read, ${counts.refused} refused; slowest ${slowest.milliseconds.toFixed(0)} ms (${slowest.i}), ${(peak / 2 ** 20).toFixed(0)} MiB`
        clearInterval(watch)
        void worker.terminate().then(() => resolve({ next: count, found, note }))
      }
    })
    worker.on('error', (error) => {
      clearInterval(watch)
      const i = Math.max(Atomics.load(progress, 0), from)
      if (i === from && found.length === 0 && note === '') reject(error)
      else resolve({ next: i + 1, found: [...found, `input ${i}: ${error.message}`], note })
    })
  })
}

let bad = 0
for (const reader of chosen) {
  if (values.write !== undefined) {
    const kept = join(values.write, reader.name)
    mkdirSync(kept, { recursive: true })
    const verdicts: unknown[] = []
    for (let i = 0; i < count && performance.now() < until; i++) {
      const bytes = input(reader, seed, i)
      const began = performance.now()
      const read = await attack(reader, bytes)
      const late = performance.now() - began > 5000
      const outcome: Outcome = late ? { kind: 'crashed', message: 'longer than 5 s' } : read
      if (outcome.kind === 'crashed') bad++
      const file = `${i}.${reader.extension}`
      writeFileSync(join(kept, file), bytes)
      verdicts.push({
        file,
        kind: outcome.kind,
        ...(outcome.kind === 'read' ? { value: canonical(outcome.value) } : { message: outcome.message }),
      })
    }
    writeFileSync(join(kept, 'verdicts.json'), JSON.stringify(verdicts))
    console.log(`${reader.name.padEnd(12)} ${verdicts.length} files in ${kept}`)
    continue
  }
  for (let from = 0; from < count; ) {
    const { next, found, note } = await stretch(reader.name, from)
    for (const text of found.slice(0, 20)) console.log(`${reader.name.padEnd(12)} ${text.slice(0, 200)}`)
    bad += found.length
    if (note !== '') console.log(`${reader.name.padEnd(12)} ${note}`)
    from = next
  }
}
console.log(bad === 0 ? 'nothing found' : `${bad} inputs crashed or took too long`)
process.exit(bad === 0 ? 0 : 1)
