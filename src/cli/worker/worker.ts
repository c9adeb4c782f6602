import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { QueueFailed, queueAddress, queueWorker } from '../../adapters/queue/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { readInteger } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'

interface GivenWorker {
  readonly workers: string
  readonly folder?: readonly string[]
  readonly drain?: boolean
  readonly states?: string
  readonly patience: string
}

/**
 * `worker`: takes the runs of sweeps from a database, and runs them in threads until it is stopped. Exit status 0 with `--drain`; 1
 * where there is no connection; 2 for options that cannot be taken.
 */
export const workerCommand: Subcommand = (terminal, exit) =>
  new Command('worker')
    .description(
      'Executes runs that `tpu-toolkit sweep --queue` enqueues in a PostgreSQL database, and stores their results there. Start one on every machine, in the folder to which the paths of experiments are relative. Ctrl-C returns unfinished runs to the queue.',
    )
    .argument('<address>', 'postgres://user@host:5432/name; the password may be in PGPASSWORD or ~/.pgpass')
    .option('--workers <n>', 'runs at a time, each in a thread', String(availableParallelism()))
    .option(
      '--folder <path>',
      'folder that may contain modules of experiments, including subfolders; may be repeated; default: the working folder',
      (path: string, all: readonly string[] = []) => [...all, path],
    )
    .option('--drain', 'end when no run is left')
    .option('--states <folder>', 'folder, visible to all workers, for the state of runs that resume later')
    .option('--patience <seconds>', 'give up after this time without a connection', '600')
    .addHelpText('after', '\nExample:\n  tpu-toolkit worker postgres://me@db.example/runs --workers 8')
    .action(async (address: string, given: GivenWorker) => {
      exit(await run(address, given, terminal))
    })

async function run(address: string, given: GivenWorker, terminal: Terminal): Promise<number> {
  const shown = mistakesAsBadInput('worker', () => queueAddress('worker', address))
  const workers = readInteger('workers', given.workers, 1, 256)
  const patience = readInteger('patience', given.patience, 0, 1_000_000)
  const stop = new AbortController()
  const ended = queueWorker({
    ...{ url: address, workers, patience, signal: stop.signal, drain: given.drain ?? false },
    ...(given.states === undefined ? {} : { states: given.states }),
    ...(given.folder === undefined ? {} : { folders: given.folder }),
    log: (text) => terminal.error(`worker: ${text}\n`),
  })
  terminal.onStop?.(async () => {
    stop.abort()
    const { done, failed, givenBack } = await ended
    terminal.ifStopped?.(`${counted(done, failed)}, ${givenBack} given back`)
  })
  terminal.out(`takes runs from ${shown}, ${workers} at a time\n`)
  try {
    const { done, failed } = await ended
    if (!stop.signal.aborted) terminal.out(`${counted(done, failed)}\n`)
    return 0
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new BadInput(thrown.message)
    if (thrown instanceof QueueFailed) {
      terminal.error(`worker: ${thrown.message.replace(/^queueWorker: /, '')}\n`)
      return 1
    }
    throw thrown
  }
}

function counted(done: number, failed: number): string {
  return `${done} runs done${failed === 0 ? '' : `, ${failed} failed`}`
}
