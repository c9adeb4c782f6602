import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { gatherColumn } from './gatherColumn.js'
import type { OpenPrefetcher, Prefetcher, Target } from './prefetch.js'

// Words of the memory that both threads watch: how many tasks were begun, how many are done, the target of the last task,
// and how many lists of targets had been posted when that task began.
const begun = 0
const done = 1
const targetWord = 2
const listWord = 3
const words = 4

/**
 * The worker's source text: a file of its own would have to be found from sources and from the built package, in bundles
 * too. gatherColumn is included as its own text. The worker sleeps in Atomics.wait, so lists of targets reach it through a
 * port. It reads that port only up to the list its task belongs to: a newer list is memory that the caller already uses.
 */
function program(): string {
  return `
const { receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads')
const __name = (value) => value // some bundlers mark functions with it
const gather = ${gatherColumn.toString()}
const { columns, control, port } = workerData
let targets
let list = 0
for (let task = 1; ; task = (task + 1) | 0) {
  while (Atomics.load(control, ${begun}) !== task) Atomics.wait(control, ${begun}, (task - 1) | 0)
  for (; list !== Atomics.load(control, ${listWord}); list++) targets = receiveMessageOnPort(port).message
  const { slots, outs } = targets[Atomics.load(control, ${targetWord})]
  for (let c = 0; c < columns.length; c++) gather(columns[c], slots[c], 0, slots[c].length, outs[c])
  Atomics.store(control, ${done}, task)
}`
}

/**
 * A worker that gathers targets over shared memory, or undefined where none can be started. It keeps no process alive. One
 * that fails is never idle again, so that the caller gathers by itself.
 */
export const openGatherWorker: OpenPrefetcher = (columns) => {
  const control = new Int32Array(new SharedArrayBuffer(4 * words))
  const { port1, port2 } = new MessageChannel()
  let worker: Worker
  try {
    worker = new Worker(program(), {
      eval: true,
      workerData: { columns, control, port: port2 },
      transferList: [port2],
      execArgv: [],
    })
  } catch {
    return undefined
  }
  return new WorkerPrefetcher(worker, control, port1)
}

class WorkerPrefetcher implements Prefetcher {
  readonly #worker: Worker
  readonly #control: Int32Array
  readonly #port: MessagePort
  #failed = false
  #lists = 0

  constructor(worker: Worker, control: Int32Array, port: MessagePort) {
    this.#worker = worker
    this.#control = control
    this.#port = port
    worker.on('error', () => {
      this.#failed = true
    })
    worker.unref()
    port.unref()
  }

  useTargets(targets: readonly Target[]): void {
    this.#port.postMessage(targets)
    this.#lists++
  }

  idle(): boolean {
    return !this.#failed && Atomics.load(this.#control, done) === Atomics.load(this.#control, begun)
  }

  start(target: number): void {
    Atomics.store(this.#control, targetWord, target)
    Atomics.store(this.#control, listWord, this.#lists)
    Atomics.add(this.#control, begun, 1)
    Atomics.notify(this.#control, begun)
  }

  close(): void {
    this.#port.close()
    void this.#worker.terminate()
  }
}
