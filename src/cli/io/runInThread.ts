import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { processTerminal } from './processTerminal.js'
import type { Terminal } from './terminal.js'

/** What a thread tells the process: calls of its terminal's functions, and how it ended. */
type Message =
  | { readonly call: 'out' | 'error' | 'ifStopped'; readonly text: string }
  | { readonly call: 'progress'; readonly progress: readonly [number, number, string] }
  | { readonly call: 'ended'; readonly status: number }
  | { readonly call: 'onStop' }
  | { readonly call: 'stopped' }

interface Given extends Pick<Terminal, 'width' | 'colors' | 'errors'> {
  readonly args: readonly string[]
}

/** How long a thread may take over what it does when it is stopped, in milliseconds. */
const farewell = 10_000

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * Runs a command in a thread of its own, whose file calls `runThread`. A computation that never pauses hears no signal:
 * so the process itself stays free to stop it, leaves the terminal as it was, and says how far the run came and what there
 * is of it. Returns the exit status; a stopped process exits with 130 (Ctrl-C), 143 or 129.
 */
export function runInThread(file: URL, args: readonly string[]): Promise<number> {
  const terminal = processTerminal()
  const given = givenTo(args, terminal)
  const worker = new Worker(file, { workerData: given, execArgv: [] })
  let status: number | undefined
  let endsItself = false
  let onStopped = (): void => {}
  for (const [signal, code] of Object.entries(signals)) {
    process.once(signal, async () => {
      const { progress } = terminal.state()
      terminal.restore()
      if (endsItself) {
        const stopped = new Promise<void>((resolve) => {
          onStopped = resolve
        })
        worker.postMessage('stop')
        await Promise.race([stopped, sleep(farewell)])
      }
      const { ifStopped } = terminal.state()
      await worker.terminate()
      const where = progress === '' ? '' : ` at ${progress}`
      terminal.error(`${args[0] ?? ''}: stopped${where}${ifStopped === '' ? '' : `; ${ifStopped}`}\n`)
      process.exit(code)
    })
  }
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      const { call } = message
      if (call === 'ended') status = message.status
      else if (call === 'onStop') endsItself = true
      else if (call === 'stopped') onStopped()
      else if (call === 'progress') terminal.progress?.(...message.progress)
      else terminal[call]?.(message.text)
    })
    worker.on('error', (thrown) => {
      terminal.restore()
      reject(thrown)
    })
    worker.on('exit', (code) => {
      terminal.restore()
      resolve(status ?? code)
    })
  })
}

/** The arguments and the screen of a thread. --no-color, an option of every command, is taken out here. */
function givenTo(args: readonly string[], { width, colors, errors }: Terminal): Given {
  const end = args.indexOf('--')
  const isFlag = (arg: string, i: number): boolean => arg === '--no-color' && (end < 0 || i < end)
  if (!args.some(isFlag)) return { args, width, colors, errors }
  return {
    args: args.filter((arg, i) => !isFlag(arg, i)),
    ...{ width, colors: false, errors: { ...errors, colors: false } },
  }
}

/** What the thread's own file calls: runs the command on a terminal that is the process's. */
export async function runThread(
  run: (args: readonly string[], terminal: Terminal) => Promise<number>,
): Promise<void> {
  const { args, width, colors, errors } = workerData as Given
  const port = parentPort
  if (!port) throw new Error('runThread: this is no thread')
  const tell = (message: Message): void => port.postMessage(message)
  let last = 0
  const status = await run(args, {
    out: (text) => tell({ call: 'out', text }),
    error: (text) => tell({ call: 'error', text }),
    ifStopped: (text) => tell({ call: 'ifStopped', text }),
    // Thirty times a second is often enough for an eye.
    progress: (...progress) => {
      const now = performance.now()
      if (progress[0] < progress[1] && now - last < 33) return
      last = now
      tell({ call: 'progress', progress })
    },
    onStop: (end) => {
      port.once('message', async () => {
        await end().catch(() => {})
        tell({ call: 'stopped' })
      })
      // Waiting for that keeps nothing alive.
      port.unref()
      tell({ call: 'onStop' })
    },
    ...{ width, colors, errors },
  })
  tell({ call: 'ended', status })
}
