import { Command } from 'commander'
import { readable, terminalText } from '../../base/text/index.js'
import { compareRuns, type RunComparison } from '../../precision/index.js'
import type { ProgramValue } from '../../programs/stablehlo/index.js'
import { textTable } from '../../report/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import { readCount } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import {
  asBadInput,
  isProgramPath,
  type OpenedProgram,
  openProgram,
  type ProgramFlags,
} from '../programs/openProgram.js'
import { programOptions } from '../programs/programOptions.js'
import { sourceLinesOf } from '../programs/sourceFiles.js'
import { isArrayFile, readArrayFile } from './arrayFile.js'
import { compareArrays } from './compareArrays.js'
import { compareDump } from './compareDump.js'

interface CompareGiven extends ProgramFlags {
  readonly ulps?: string
  readonly json?: boolean
}

/**
 * `compare`: two programs on the same inputs, a program and a recorded run, or two files of named arrays. Exit status 0; 1 where something
 * else was computed; 2 for options or a file that cannot be taken.
 */
export const compareCommand: Subcommand = (terminal, exit) =>
  programOptions(new Command('compare'))
    .description(
      'Finds the first operation in which two runs of a program compute something else, and tells it from rounding and the order of sums.',
    )
    .argument('<a>', 'a .mlir or .onnx program, or named arrays (.safetensors, .npz)')
    .argument('<b>', 'what it is compared with, of either kind')
    .option('--ulps <n>', 'of two files of arrays: up to how many ulps count as rounding; default 16')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action((a: string, b: string, given: CompareGiven) => {
      for (const path of [a, b]) {
        if (!isProgramPath(path) && !isArrayFile(path)) {
          throw new BadInput(
            `compare takes .mlir, .onnx, .safetensors and .npz files [${terminalText(path)}]`,
          )
        }
      }
      if (isProgramPath(a) && isProgramPath(b)) exit(programs(a, b, given, terminal))
      else if (isArrayFile(a) && isArrayFile(b)) exit(arrays(a, b, given, terminal))
      else exit(isProgramPath(a) ? dump(a, b, given, terminal) : dump(b, a, given, terminal))
    })

const help = `
Two programs are compared operation by operation on the same inputs: each operation of the second on the operands that it had there, so that
only the place where something else is computed is named. Sums in another order, another accumulation of the same width and an ulp of a
function are 'order or rounding'. A program and a file compare the program's results with arrays of the same names, within a certified bound.
Two files of arrays compare by name in the order of the first; the limit is then a rule of thumb.

Examples:
  tpu-toolkit compare before.mlir after.mlir --random 0
  tpu-toolkit compare step.mlir tpu-run.safetensors --inputs step.safetensors
  tpu-toolkit compare cpu.npz gpu.npz`

function tensorsOf(values: Readonly<Record<string, ProgramValue>>): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value instanceof Tensor
        ? [[name, value] as const]
        : ([
            [`${name}.re`, value.re],
            [`${name}.im`, value.im],
          ] as const),
    ),
  )
}

function programs(a: string, b: string, given: CompareGiven, terminal: Terminal): number {
  const [first, second] = [openProgram(a, given), openProgram(b, given)]
  const run =
    ({ program }: OpenedProgram) =>
    (inputs: Record<string, Tensor>): Record<string, Tensor> =>
      tensorsOf(program.runNamed(inputs))
  const found = asBadInput(`${first.name}, ${second.name}`, () =>
    compareRuns(run(first), run(second), first.inputs as Record<string, Tensor>),
  )
  if (given.json) {
    terminal.out(jsonText({ a: first.name, b: second.name, drawn: first.drawn, ...plain(found) }))
  } else {
    const lines = sourceLinesOf(String(found), first.sources)
    printWrapped(
      terminal,
      `${[`${first.name}, ${second.name}`, String(found), ...lines].join('\n')}\n`,
      verdicts,
    )
  }
  return found.verdict === 'another computation' ? 1 : 0
}

/** The colours of verdicts. */
const verdicts = { red: ['another computation'], yellow: ['order or rounding'], green: ['equal'] }

function plain({ verdict, first, differences, compared }: RunComparison): object {
  return { verdict, compared, first: first ?? null, differences }
}

/** What a table of arrays comes to: the worst kind, and the first array of it. */
function verdictOf(rows: readonly { readonly name: string; readonly kind: string }[]): {
  readonly verdict: string
  readonly first: string | undefined
} {
  const bad = rows.find(({ kind }) => kind === 'another computation')
  const first = bad ?? rows.find(({ kind }) => kind !== 'equal')
  return { verdict: first?.kind ?? 'equal', first: first?.name }
}

function printed(
  rows: readonly {
    readonly name: string
    readonly kind: string
    readonly differ: number
    readonly of: number
  }[],
  measure: { readonly header: string; readonly of: (row: never) => number },
  missing: readonly string[],
  given: CompareGiven,
  terminal: Terminal,
): number {
  if (rows.length === 0) throw new BadInput('the two have no name in common')
  const { verdict, first } = verdictOf(rows)
  if (given.json) {
    terminal.out(jsonText({ verdict, first: first ?? null, missing, arrays: rows }))
  } else {
    const shown = rows.map((row) => ({
      ...row,
      differ: `${row.differ} of ${row.of}`,
      measure: readable(measure.of(row as never), 3),
    }))
    const columns = [
      { key: 'name' },
      { key: 'tensor' },
      { key: 'differ' },
      { key: 'measure', header: measure.header },
      { key: 'kind', header: 'what it is' },
    ] as const
    const lines = [
      first === undefined
        ? `${verdict}: ${rows.length} arrays have the same values`
        : `${verdict}: the first is ${first}`,
      ...(missing.length > 0 ? [`only one of the two has ${missing.map(terminalText).join(', ')}`] : []),
      '',
      textTable(columns, shown, { width: terminal.width }),
    ]
    printWrapped(terminal, `${lines.join('\n')}\n`, verdicts)
  }
  return verdict === 'another computation' ? 1 : 0
}

function arrays(a: string, b: string, given: CompareGiven, terminal: Terminal): number {
  const limit = given.ulps === undefined ? 16 : readCount('ulps', given.ulps, 0)
  const [x, y] = [readArrayFile(a), readArrayFile(b)]
  const rows = compareArrays(x, y, limit)
  const missing = [...x.keys(), ...y.keys()].filter((name) => !(x.has(name) && y.has(name)))
  return printed(
    rows,
    { header: 'rms in ulps', of: ({ ulps }: { ulps: number }) => ulps },
    missing,
    given,
    terminal,
  )
}

function dump(path: string, recorded: string, given: CompareGiven, terminal: Terminal): number {
  const opened = openProgram(path, given)
  const rows = asBadInput(opened.name, () => compareDump(opened, readArrayFile(recorded)))
  return printed(
    rows,
    { header: 'of the bound', of: ({ ratio }: { ratio: number }) => ratio },
    [],
    given,
    terminal,
  )
}
