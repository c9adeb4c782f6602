import { interpreterBytes } from './interpreterModule.js'

// Words of the memory by which threads speak to each other. The first says which parts of a step are there to be taken:
// how many have been, how many there are, and the number of the step, so that no two steps look alike.
const TICKET = 0
const DONE = 1
const STRANGE = 2
const FAILED = 3
const READY = 4
/** Where the parts begin. */
const PLACES = 8

/** The most threads: what a ticket has room for. */
export const mostThreads = 64

/** How often a thread looks before it lies down to wait: about 20 microseconds. */
const looks = 2000

/** A part that is there to be taken: the ticket, which part of how many, and the step. */
const taken = (ticket: number): number => ticket & 255
const offered = (ticket: number): number => (ticket >>> 8) & 255

/**
 * What a thread runs, as text: a file of its own would have to be found from sources and from the built package, in bundles and
 * pages too. It takes parts while there are some, and waits for the next step.
 */
const program = `
function serve({ bytes, memory, control }) {
  const none = () => { throw new Error('compile: a part calls its host') }
  const host = { step: none, elementwise: none }
  const module = new WebAssembly.Module(bytes)
  const { run } = new WebAssembly.Instance(module, { env: { memory }, host }).exports
  const words = new Int32Array(control)
  Atomics.add(words, ${READY}, 1)
  for (let seen = 0; ; ) {
    const ticket = Atomics.load(words, ${TICKET})
    const part = ticket & 255
    if (part >= ((ticket >>> 8) & 255)) {
      if (ticket !== seen) {
        seen = ticket
        for (let i = 0; i < ${looks} && Atomics.load(words, ${TICKET}) === ticket; i++);
      } else {
        Atomics.wait(words, ${TICKET}, ticket)
        seen = 0
      }
      continue
    }
    if (Atomics.compareExchange(words, ${TICKET}, ticket, ticket + 1) !== ticket) continue
    try {
      if (run(Atomics.load(words, ${PLACES} + part)) !== 0) Atomics.store(words, ${STRANGE}, 1)
    } catch {
      Atomics.store(words, ${FAILED}, 1)
    }
    Atomics.add(words, ${DONE}, 1)
    Atomics.notify(words, ${DONE})
  }
}
`

/** What both kinds of workers have: Node's, and those of pages. */
interface WorkerLike {
  unref?(): void
  on?(event: 'error', listener: () => void): void
  postMessage(message: unknown): void
}

/** Threads that run parts of a step of a program, in a memory that they share. They keep no process alive. */
export class ThreadPool {
  readonly #control = new Int32Array(new SharedArrayBuffer(4 * (PLACES + mostThreads)))
  readonly #memory: object
  readonly #bytes: Uint8Array
  readonly #workers: WorkerLike[] = []
  #step = 0
  #canWait = true

  constructor(memory: object, maximum: number) {
    this.#memory = memory
    this.#bytes = interpreterBytes({ maximum, fills: false })
  }

  /** Makes the threads as many as these, the caller's counted in; those that cannot be started are done without. */
  startThreads(threads: number): void {
    while (this.#workers.length < threads - 1) {
      const given = { bytes: this.#bytes, memory: this.#memory, control: this.#control.buffer }
      const worker = started(given)
      if (!worker) return
      worker.unref?.()
      // One that cannot begin takes no parts, and nobody waits for it.
      worker.on?.('error', () => undefined)
      this.#workers.push(worker)
    }
  }

  /** How many threads besides the caller's are at work by now. */
  get ready(): number {
    return Atomics.load(this.#control, READY)
  }

  /** Runs programs from these addresses, on whatever threads are there; true where one came upon a strange NaN. */
  run(places: readonly number[], run: (place: number) => boolean): boolean {
    const words = this.#control
    const count = places.length
    for (let i = 0; i < count; i++) words[PLACES + i] = places[i]!
    Atomics.store(words, DONE, 0)
    Atomics.store(words, STRANGE, 0)
    this.#step = (this.#step + 1) & 0x7fff
    Atomics.store(words, TICKET, (this.#step << 16) | (count << 8))
    Atomics.notify(words, TICKET)
    let strange = false
    let failure: { readonly thrown: unknown } | undefined
    for (;;) {
      const ticket = Atomics.load(words, TICKET)
      if (taken(ticket) >= offered(ticket)) break
      if (Atomics.compareExchange(words, TICKET, ticket, ticket + 1) !== ticket) continue
      try {
        if (run(places[taken(ticket)]!)) strange = true
      } catch (thrown) {
        failure ??= { thrown }
      }
      Atomics.add(words, DONE, 1)
    }
    // Also after a failure: a worker that is still busy with this step would count its part as one of the next.
    this.#waitFor(count)
    if (failure) throw failure.thrown
    if (Atomics.load(words, FAILED) !== 0) throw new Error('compile: a part of a step failed on its thread')
    return strange || Atomics.load(words, STRANGE) !== 0
  }

  #waitFor(count: number): void {
    const words = this.#control
    for (let look = 0; ; look++) {
      const done = Atomics.load(words, DONE)
      if (done >= count) return
      if (look < looks || !this.#canWait) continue
      try {
        Atomics.wait(words, DONE, done)
      } catch {
        // A page's own thread may look, not wait.
        this.#canWait = false
      }
    }
  }
}

function started(given: object): WorkerLike | undefined {
  const { process, Worker, Blob, URL } = globalThis as unknown as Platform
  try {
    const node = process?.getBuiltinModule?.('node:worker_threads')
    if (node) {
      const text = `${program}serve(process.getBuiltinModule('node:worker_threads').workerData)`
      return new node.Worker(text, { eval: true, workerData: given, execArgv: [] })
    }
    if (!Worker) return undefined
    const text = `${program}onmessage = ({ data }) => serve(data)`
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))
    worker.postMessage(given)
    return worker
  } catch {
    return undefined
  }
}

// The parts of Node's and of the page's interfaces used here: this folder is compiled for neither alone.
interface Platform {
  readonly process?: {
    getBuiltinModule?(
      name: string,
    ): { readonly Worker: new (text: string, options: object) => WorkerLike } | undefined
  }
  readonly Worker?: new (url: string) => WorkerLike
  readonly Blob: new (parts: readonly string[], options: object) => object
  readonly URL: { createObjectURL(blob: object): string }
}
