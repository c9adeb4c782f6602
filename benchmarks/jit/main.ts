import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { type ProgramOptions, parse, programOf } from 'tpu-toolkit/stablehlo'
import { type DType, dtypeFacts, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { processTerminal, runCommand, type Subcommand } from '#cli'
import { askPeer, noPeer } from '../peers/askPeer.js'

/** Arrays of a program, in one file: the dtype, shape and bytes of each. */
type Arrays = readonly (readonly [dtype: DType, shape: readonly number[], bytes: number])[]

interface Answer {
  readonly jax: string
  readonly programs: readonly {
    readonly name: string
    readonly stem: string
    readonly arrays: Readonly<Record<'arguments' | 'default' | 'jit', Arrays>>
  }[]
}

/** How many numbers of a program are those of jax.jit. */
interface Row {
  readonly program: string
  readonly numbers: number
  readonly default: number
  readonly exact: number
  /** The default flags' results against what the text says, rounded each time. */
  readonly asWritten: number
}

const about = `Compares programs run by programOf with jax.jit on this machine's CPU, number by number: steps of an MLP, a GPT and a CNN,
gradients of a GPT block and a scanned RNN, in bfloat16 and float16 (TPU_TOOLKIT_PYTHON: a Python with jax and optax).
'default' is jax.jit with its default flags against rounding: 'xla-jit'; 'excess off' is
--xla_allow_excess_precision=false against reduce: 'xla-cpu'; 'as written' is the default flags against reduce: 'xla-cpu'.`

const command: Subcommand = (terminal) =>
  new Command('bench:jit')
    .description(about)
    .option('--json', 'print { "jax", "rows": [{ "program", "numbers", "default", "exact", "asWritten" }] }')
    .action(({ json }: { readonly json?: true }) => {
      const folder = mkdtempSync(join(tmpdir(), 'jit-'))
      try {
        const answer = askPeer<Answer>('jit', folder)
        if ('why' in answer) {
          terminal.error(`${noPeer('jax and optax', answer.why)}\n`)
          return
        }
        const { jax, programs } = answer.value
        const rows = programs.map((program) => rowOf(program, folder))
        if (json) {
          terminal.out(`${JSON.stringify({ jax, rows }, null, 2)}\n`)
          return
        }
        terminal.out(`jax ${jax}; equal numbers in per cent\n`)
        terminal.out(line('program', 'numbers', 'default', 'excess off', 'as written'))
        for (const { program, numbers, default: byDefault, exact, asWritten } of rows) {
          const share = (equal: number): string => ((100 * equal) / numbers).toFixed(3)
          terminal.out(line(program, `${numbers}`, share(byDefault), share(exact), share(asWritten)))
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
    })

function line(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(32)}${cells.map((cell) => cell.padStart(12)).join('')}\n`
}

function rowOf({ name, stem, arrays }: Answer['programs'][number], folder: string): Row {
  const module = parse(readFileSync(join(folder, `${stem}.mlir`), 'utf8'))
  const read = (kind: keyof typeof arrays): Tensor[] =>
    tensorsOf(readFileSync(join(folder, `${stem}.${kind}`)), arrays[kind])
  const given = read('arguments')
  const wanted = { default: read('default'), jit: read('jit') }
  const equal = (options: ProgramOptions, flags: 'default' | 'jit'): number =>
    equalNumbers(programOf(module, options).run(...given) as Tensor[], wanted[flags])
  return {
    program: name,
    numbers: wanted.default.reduce((all, { size }) => all + size, 0),
    default: equal({ rounding: 'xla-jit' }, 'default'),
    exact: equal({ reduce: 'xla-cpu' }, 'jit'),
    asWritten: equal({ reduce: 'xla-cpu' }, 'default'),
  }
}

function tensorsOf(bytes: Buffer, arrays: Arrays): Tensor[] {
  let from = 0
  return arrays.map(([dtype, shape, length]) => {
    const own = Uint8Array.from(bytes.subarray(from, from + length)).buffer
    from += length
    const { bits } = dtypeFacts(dtype)
    const codes =
      bits === 64
        ? new BigUint64Array(own)
        : bits === 32
          ? new Uint32Array(own)
          : bits === 16
            ? new Uint16Array(own)
            : new Uint8Array(own)
    return fromBits(codes, { dtype, shape })
  })
}

function equalNumbers(found: readonly Tensor[], wanted: readonly Tensor[]): number {
  let equal = 0
  for (const [i, x] of found.entries()) {
    const [own, other] = [x.toBits(), wanted[i]!.toBits()]
    for (let k = 0; k < own.length; k++) if (own[k] === other[k]) equal++
  }
  return equal
}

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
