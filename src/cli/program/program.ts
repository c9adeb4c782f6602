import { Command } from 'commander'
import { BadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { programOptions } from '../programs/programOptions.js'
import { flopsProgram } from './flopsProgram.js'
import { inspectProgram } from './inspectProgram.js'
import { nanProgram } from './nanProgram.js'
import type { ProgramGiven } from './programGiven.js'
import { runProgramFile } from './runProgramFile.js'
import { tuneProgram } from './tuneProgram.js'

/** Does what a verb says with a program; returns the exit status. */
type Verb = (path: string, given: ProgramGiven, terminal: Terminal) => number

const verbs: Readonly<Record<string, Verb>> = {
  run: runProgramFile,
  nan: nanProgram,
  tune: tuneProgram,
  inspect: inspectProgram,
  flops: flopsProgram,
}

/** The options of each verb, beside those that say what a program is run on. */
const own: Readonly<Record<string, readonly (keyof ProgramGiven)[]>> = {
  run: ['out', 'steps', 'carry', 'repeat'],
  nan: ['steps', 'carry'],
  tune: ['target'],
  inspect: ['chip'],
  flops: [],
}

/**
 * `program`: runs a StableHLO program, finds its first value that is not finite, what to keep wide, what it costs. Exit status 0; 1 where
 * `nan` finds a value that is not finite, where `tune` does not meet its target, or where a file cannot be written; 2 for options or a file
 * that cannot be taken.
 */
export const programCommand: Subcommand = (terminal, exit) =>
  programOptions(new Command('program'))
    .description(
      'Runs a program of JAX or PyTorch (StableHLO as text, ONNX), finds its first NaN, what to keep wide, counts what it does; doctor says where its bits go.',
    )
    .argument('<verb>', Object.keys(verbs).join(', '))
    .argument(
      '<file>',
      'a .mlir file, jax.jit(step).lower(*args).as_text(debug_info=True), or an .onnx model',
    )
    .option('--steps <n>', 'of run and nan: run it so often, each time on its last results; stops at a NaN')
    .option(
      '--carry [pairs]',
      'which results are the next arguments, p=result[0],s=result[1]; default by the names of their trees',
    )
    .option('--repeat <n>', 'of run: time so many runs, compiled where it can be')
    .option('--out <file>', 'of run: where the results go, .safetensors or .npz')
    .option('--target <bits>', 'of tune: bits of error that the results may have in the mean; default 0.5')
    .option('--chip <name>', 'of inspect: v5e, v5p, v6e ...; default v5e')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action((verb: string, path: string, given: ProgramGiven) => {
      const name = readName('verb', verb, Object.keys(verbs))
      const extra = [...new Set(Object.values(own).flat())].find(
        (key) => given[key] !== undefined && !own[name]!.includes(key),
      )
      if (extra) throw new BadInput(`--${extra} is not for ${name}`)
      exit(verbs[name]!(path, given, terminal))
    })

const help = `
The file is StableHLO as text, with debug_info=True so that places are lines of the Python file. docs/jax.md has the lines of Python
that write it and its arguments. Arguments are found in --inputs by their names in the text (p['w0']), by the same with dots
(p.w0), or by their places (arg0, or arr_0 of numpy.savez).

Examples:
  tpu-toolkit program run step.mlir --inputs step.safetensors --out results.safetensors
  tpu-toolkit program nan step.mlir --inputs step.safetensors --steps 100 --carry
  tpu-toolkit program tune step.mlir --random 0 --target 1
  tpu-toolkit program inspect step.mlir --chip v6e`
