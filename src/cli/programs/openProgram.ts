import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { terminalText } from '../../base/text/index.js'
import { type Module, type Program, parse, programOf } from '../../programs/stablehlo/index.js'
import { BadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { type DrawnInputs, inputsOf } from './inputsOf.js'
import { readOnnxProgram } from './readOnnxProgram.js'
import { filesOf, type SourceFiles, sourceFiles } from './sourceFiles.js'

/** Options of every command on a program: its inputs, and the choices that the specification leaves open. */
export interface ProgramFlags {
  readonly inputs?: string
  readonly random?: string
  readonly function?: string
  readonly dot?: string
  readonly reduce?: string
  readonly rounding?: string
}

/** A program of a file, without inputs. */
export interface ReadProgram {
  /** The file's name without its folder. */
  readonly name: string
  /** None of an ONNX model. */
  readonly module: Module | undefined
  readonly program: Program
  readonly sources: SourceFiles
}

/** A program with what it is to be run on. */
export interface OpenedProgram extends ReadProgram, DrawnInputs {}

/** Whether an argument of a command names a program: StableHLO's text or an ONNX model. */
export function isProgramPath(name: string): boolean {
  return /\.(mlir|stablehlo)(\.txt)?$|\.onnx$/.test(name)
}

/** Reads a program; anything that is wrong with it is bad input. */
export function readProgram(path: string, flags: ProgramFlags): ReadProgram {
  if (!existsSync(path)) throw new BadInput(`no such file [${terminalText(path)}]`)
  const name = basename(path)
  const dot =
    flags.dot === undefined ? 'float32' : readName('dot', flags.dot, ['float32', 'operands'] as const)
  const rounding =
    flags.rounding === undefined
      ? 'each'
      : readName('rounding', flags.rounding, ['each', 'xla-jit', 'fused'] as const)
  const reduce =
    flags.reduce === undefined
      ? {}
      : { reduce: readName('reduce', flags.reduce, ['sequential', 'xla-cpu'] as const) }
  if (path.endsWith('.onnx')) {
    return asBadInput(name, () => {
      const { program, files } = readOnnxProgram(path)
      return { name, module: undefined, program, sources: sourceFiles(files, path) }
    })
  }
  const text = textOf(path)
  return asBadInput(name, () => {
    const module = parse(text)
    const chosen = flags.function === undefined ? {} : { function: flags.function }
    const program = programOf(module, { dot, rounding, ...reduce, ...chosen })
    return { name, module, program, sources: sourceFiles(filesOf(module), path) }
  })
}

/** The same with inputs, of a file or drawn. */
export function openProgram(path: string, flags: ProgramFlags): OpenedProgram {
  const read = readProgram(path, flags)
  return { ...read, ...inputsOf(read.program, flags.inputs, flags.random) }
}

/** What the program says was taken where the specification leaves it open, in a sentence. */
export function semanticsText({ program }: Pick<ReadProgram, 'program'>): string {
  const { dot, reduce, rounding } = program.semantics
  const products = dot === 'float32' ? 'in float32' : 'in the dtype of their result'
  const sums = reduce === 'sequential' ? 'by index' : "in the order of XLA's CPU backend"
  return `matrix products add ${products} (--dot), sums go ${sums} (--reduce), ${roundings[rounding]} (--rounding)`
}

const roundings = {
  each: 'every operation rounds once',
  'xla-jit': 'roundings are those of jax.jit on the CPU',
  fused: 'chains of operations on elements round once',
} as const

/** Runs something whose TypeErrors and RangeErrors are mistakes in the user's file. */
export function asBadInput<T>(name: string, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof RangeError || thrown instanceof TypeError)) throw thrown
    // A fault in this package is no mistake of the user's.
    if (!/^\w+: /.test(thrown.message)) throw thrown
    throw new BadInput(
      `${name}: ${thrown.message.replace(/^(programOf|programOfOnnx|readOnnx|parse|carriedOf): /, '')}`,
    )
  }
}

function textOf(path: string): string {
  const bytes = readFileSync(path)
  // MLIR's bytecode, which jax.export serialises, begins so.
  if (bytes[0] === 0x4d && bytes[1] === 0x4c && bytes[2] === 0xef && bytes[3] === 0x52) {
    throw new BadInput(
      `${basename(path)} is MLIR bytecode, write its text: jax.jit(f).lower(...).as_text(debug_info=True), or exported.mlir_module()`,
    )
  }
  return bytes.toString('utf8')
}
