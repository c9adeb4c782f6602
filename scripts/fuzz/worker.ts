import { parentPort, workerData } from 'node:worker_threads'
import { attack, input } from './attack.js'
import { readers } from './readers.js'

// One thread of the fuzzer: the inputs `from` to `to` of one reader. Its parent watches the clock.

const { name, seed, from, to, progress, folder } = workerData as {
  name: string
  seed: number
  from: number
  to: number
  /** The input that is being read. */
  progress: Int32Array
  folder: string
}

const reader = (await readers(folder)).find((candidate) => candidate.name === name)!
const counts = { read: 0, refused: 0, crashed: 0 }
let slowest = { milliseconds: 0, i: -1 }
for (let i = from; i < to; i++) {
  Atomics.store(progress, 0, i)
  const bytes = input(reader, seed, i)
  const began = performance.now()
  const outcome = await attack(reader, bytes)
  const milliseconds = performance.now() - began
  if (milliseconds > slowest.milliseconds) slowest = { milliseconds, i }
  counts[outcome.kind]++
  if (outcome.kind === 'crashed') parentPort!.postMessage({ crashed: outcome.message, i })
}
parentPort!.postMessage({ counts, slowest, peak: process.memoryUsage().rss })
