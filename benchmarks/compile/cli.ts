import { Command } from 'commander'
import { BadInput, readInteger, type Subcommand } from '#cli'
import { noPeer } from '../peers/askPeer.js'
import { type Budget, measure, thorough } from '../speed/measure.js'
import { type PeerTime, peersThere, peerTimes } from './peers.js'
import { checkSameBits, type Program } from './program.js'
import { programs } from './programs.js'
import { tfjsTimes } from './tfjs.js'

interface Options {
  readonly only?: string
  readonly peers: boolean
  readonly threads?: number
  readonly json?: true
}

/** The least times of one program. */
interface Row {
  readonly program: string
  readonly unit: string
  readonly eager: number
  /** Left off where the program cannot be compiled. */
  readonly compiled?: number
  readonly why?: string
  /** Compiled for the threads asked for. */
  readonly threaded?: number
  readonly peers: readonly PeerTime[]
}

const about = `Times programs eager and compiled, one thread: a training step, a transformer, long chains, short calls. Least times.
Compiled results are compared with eager ones, bit for bit, before anything is timed. Beside them, in the same run and
for the same program, JAX with jit and operation by operation and NumPy (TPU_TOOLKIT_PYTHON: a Python that has
them), and tfjs where it is installed; a peer that is missing is said.`

/** What a command times: its programs, and the program of benchmarks/peers that has their twins. */
export interface Timed {
  readonly command: string
  readonly about: string
  readonly programs: readonly Program[]
  readonly peer: string
}

const compiled: Timed = { command: 'bench:compile', about, programs, peer: 'compile' }

/** A command that times programs beside their peers; exit status 2 for a mistake in the options. */
export const compileCommand =
  (timed: Timed = compiled, budget: Budget = thorough): Subcommand =>
  (terminal) =>
    new Command(timed.command)
      .description(timed.about)
      .option('--only <text>', 'only programs whose name contains the text')
      .option('--no-peers', 'only eager and compiled')
      .option('--threads <n>', 'compiled for so many threads too', readThreads)
      .option('--json', 'print [{ "program", "unit", "eager", "compiled", "peers": [{ "name", "time" }] }]')
      .action(async ({ only, peers, threads, json }: Options) => {
        const chosen = timed.programs.filter(({ name }) => only === undefined || name.includes(only))
        if (chosen.length === 0) {
          const names = timed.programs.map(({ name }) => name).join(', ')
          throw new BadInput(`no program has this in its name [${only}], there are ${names}`)
        }
        const there = peers ? peersThere(timed.peer) : undefined
        const rows: Row[] = []
        for (const program of chosen) {
          const python = there !== undefined && 'value' in there ? timed.peer : undefined
          const row = await rowOf(program, budget, { python, tfjs: peers, threads })
          rows.push(row)
          if (!json) terminal.out(`${lineOf(row, threads)}\n`)
        }
        if (json) {
          terminal.out(`${JSON.stringify(rows, null, 2)}\n`)
        } else {
          if (there && 'why' in there) terminal.out(`${noPeer('jax, numpy and ml_dtypes', there.why)}\n`)
          if (there && 'value' in there) terminal.out(`Peers: ${there.value}, one thread\n`)
          terminal.out(`Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.arch}\n`)
        }
      })

interface Beside {
  /** The program of benchmarks/peers, where a Python runs it. */
  readonly python: string | undefined
  readonly tfjs: boolean
  readonly threads: number | undefined
}

async function rowOf(program: Program, budget: Budget, { python, tfjs, threads }: Beside): Promise<Row> {
  const { name, n, unit } = program
  const prepared = program.prepare()
  const time = (run: () => unknown): number =>
    measure({ op: name, n, prepare: () => ({ run: () => void run(), check: () => undefined }) }, budget).min
  let why: string | undefined
  try {
    checkSameBits(name, prepared.eager, prepared.compiled)
  } catch (error) {
    // An operation that looks at elements is not one for a program; other bits are a mistake of ours.
    if (!(error instanceof TypeError) || !error.message.startsWith('compile:')) throw error
    why = error.message.replace(/,.*\[/, ' [')
  }
  const eager = time(prepared.eager)
  const own = why === undefined ? { compiled: time(prepared.compiled) } : { why }
  let more = {}
  if (threads !== undefined && why === undefined) {
    const run = prepared.threaded(threads)
    checkSameBits(name, prepared.eager, run)
    more = { threaded: time(run) }
  }
  const peers = [
    ...(python ? peerTimes(python, name, n) : []),
    ...(tfjs ? await tfjsTimes(name, n, budget) : []),
  ]
  return { program: name, unit, eager, ...own, ...more, peers }
}

function lineOf(
  { program, unit, eager, compiled, why, threaded, peers }: Row,
  threads: number | undefined,
): string {
  const cells =
    compiled === undefined
      ? [`eager ${shown(eager)}`, `not compiled (${why})`]
      : [
          `eager ${shown(eager)}`,
          `compiled ${shown(compiled)} (${(eager / compiled).toFixed(1)} times as fast)`,
        ]
  if (threaded !== undefined) {
    cells.push(
      `on ${threads} threads ${shown(threaded)} (${(compiled! / threaded).toFixed(1)} times as fast)`,
    )
  }
  const best = compiled ?? eager
  for (const { name, time } of peers) {
    cells.push(`${name} ${shown(time)} (ours ${(best / time).toFixed(2)} of it)`)
  }
  return `${program.padEnd(30)} ${cells.join(', ')}; ${unit}`
}

const readThreads = (text: string): number => readInteger('threads', text, 1, 64)

const shown = (time: number): string => time.toPrecision(3)
