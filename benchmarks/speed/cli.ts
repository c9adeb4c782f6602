import { cpus } from 'node:os'
import { Command } from 'commander'
import { BadInput, readCount, type Subcommand } from '#cli'
import { type Budget, measure, type Timing, thorough } from './measure.js'
import type { Operation } from './operation.js'
import { copy, operations } from './operations.js'
import { peerTiming, peerVersions } from './peers.js'
import { isTwin, jsonOf, type Row, tableOf } from './print.js'

interface Options {
  readonly only?: string
  readonly peers?: true
  readonly json?: true
  readonly elements?: number
}

const about = `Times array operations in every format: n = 2^20 elements, one thread, into a given array.
Times are ns per element, for matmul per multiply-add; "copy ns" is a copy that moves as many bytes.
Each result is checked before it is timed. On a busy machine read the least time, not the median.`

/** The command `bench:speed`; exit status 2 for a mistake in the options or missing peers. */
export const speedCommand =
  (budget: Budget = thorough): Subcommand =>
  (terminal) =>
    new Command('bench:speed')
      .description(about)
      .option('--only <text>', 'only operations whose name contains the text')
      .option(
        '--peers',
        'the same on NumPy + ml_dtypes in the same run (TPU_TOOLKIT_PYTHON: a Python that has them)',
      )
      .option('--elements <n>', 'so many elements at most', (text) => readCount('elements', text, 1))
      .option('--json', 'print [{ "op", "n", "ns" }], with --peers also "peerNs"')
      .action((options: Options) => terminal.out(report(options, budget)))

/** The time of the operation that a goal is a multiple of, taken right beside it. */
function twinOf({ op, goal }: Operation, budget: Budget): Timing {
  const name = goal && 'ratio' in goal ? goal.of : undefined
  const twin = operations.find((operation) => operation.op === name)
  if (!twin) throw new Error(`${op}: no such operation to compare with [${name}]`)
  return measure(twin, budget)
}

function report({ only, peers, json, elements }: Options, least: Budget): string {
  const budget = { ...least, most: Math.min(elements ?? least.most, least.most) }
  const names = operations.map(({ op }) => op)
  const chosen = operations.filter(({ op }) => only === undefined || op.includes(only))
  if (chosen.length === 0) {
    throw new BadInput(`no operation has this in its name [${only}], there are ${names.join(', ')}`)
  }
  const versions = peers ? peerVersions() : undefined
  const copies = new Map<number, Timing>()
  const rows = chosen.map((operation): Row => {
    const { op, n, bytes } = operation
    if (bytes !== undefined && !copies.has(bytes)) copies.set(bytes, measure(copy(bytes), budget))
    const ours = measure(operation, budget)
    const peer = isTwin(operation)
      ? twinOf(operation, budget)
      : peers
        ? peerTiming(op, n, elements)
        : undefined
    return { operation, ours, copy: bytes === undefined ? undefined : copies.get(bytes), peer }
  })
  if (json) return `${jsonOf(rows)}\n`
  const { node, v8 } = process.versions
  const lines = [
    tableOf(rows, peers === true),
    '',
    `Node ${node}, V8 ${v8}, ${process.arch}, ${cpus()[0]?.model ?? ''}`,
  ]
  if (versions !== undefined) lines.push(`Peer: ${versions}, one thread`)
  if (versions !== undefined && chosen.some(({ op }) => op.startsWith('matmul'))) {
    const { min } = peerTiming('matmul float32 512', 512 ** 3)
    lines.push(`Peer's matmul float32 512, in any order: ${min.toFixed(3)} ns`)
  }
  return `${lines.join('\n')}\n`
}
