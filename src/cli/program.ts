import { packageVersion } from '../training/files/index.js'
import { type ProgramOptions, runProgram } from './io/runProgram.js'
import type { Subcommand } from './io/subcommand.js'
import type { Terminal } from './io/terminal.js'

/** The commands in the order of the help, each in a room of its own. Some bring a plotting library: loaded when asked for. */
const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  inspect: async () => (await import('./inspect/inspect.js')).inspectCommand,
  formats: async () => (await import('./formats/formats.js')).formatsCommand,
  gallery: async () => (await import('./gallery/gallery.js')).galleryCommand,
  doctor: async () => (await import('./doctor/doctor.js')).doctorCommand,
  compare: async () => (await import('./compare/compare.js')).compareCommand,
  diagnose: async () => (await import('./diagnose/diagnose.js')).diagnoseCommand,
  schedule: async () => (await import('./schedule/schedule.js')).scheduleCommand,
  drift: async () => (await import('./drift/drift.js')).driftCommand,
  kernels: async () => (await import('./kernels/kernels.js')).kernelsCommand,
  quantize: async () => (await import('./quantize/quantize.js')).quantizeCommand,
  vq: async () => (await import('./vq/vq.js')).vqCommand,
  nan: async () => (await import('./nan/nan.js')).nanCommand,
  sweep: async () => (await import('./sweep/sweep.js')).sweepCommand,
  recipe: async () => (await import('./recipe/recipe.js')).recipeCommand,
  rl: async () => (await import('./rl/rl.js')).rlCommand,
  chips: async () => (await import('./chips/chips.js')).chipsCommand,
  plan: async () => (await import('./plan/plan.js')).planCommand,
  roofline: async () => (await import('./roofline/roofline.js')).rooflineCommand,
  flags: async () => (await import('./flags/flags.js')).flagsCommand,
  audit: async () => (await import('./audit/audit.js')).auditCommand,
  program: async () => (await import('./program/program.js')).programCommand,
  lab: async () => (await import('./lab/lab.js')).labCommand,
  worker: async () => (await import('./worker/worker.js')).workerCommand,
  env: async () => (await import('./env/env.js')).envCommand,
  completion: async () => (await import('./completion/completion.js')).completionCommand,
}

/** The commands of the help by what one wants to do, each in a line. */
const groups = {
  Look: {
    inspect: 'a number in a format: code, bits, neighbours, error',
    formats: 'facts of every format; with --measure, their errors',
    gallery: 'failures of low precision, each beside its cure',
    doctor: 'where an experiment or your program loses bits, and what to keep wide',
    compare: 'the first operation in which two runs differ',
    diagnose: 'the problems of a run, from the files in its folder',
    schedule: 'a learning-rate schedule, drawn',
  },
  Measure: {
    drift: 'errors of naive and stable algorithms by length',
    kernels: 'errors of attention, norms and other kernels by form',
    quantize: 'the tensors of a file in low-precision formats',
    vq: 'codebooks for the tensors of a file',
  },
  Train: {
    nan: 'a state-space layer until its NaN, explained from its numbers',
    sweep: 'an experiment over many values of its parameters',
    recipe: 'a published low-precision recipe, with and without each ingredient',
    rl: 'agents by PPO, beside baselines',
  },
  Plan: {
    chips: 'the data of TPU generations and slices',
    plan: 'memory, sharding and step time of a training run',
    roofline: 'what bounds each operation of a model on a chip',
    flags: 'flags of XLA, checked and explained',
    audit: 'a configuration against the hardware',
  },
  Program: { program: 'a program of JAX or PyTorch: run it, find its NaN, tune it, count it' },
  Serve: {
    lab: 'the interactive page, in your browser',
    worker: 'executes the runs of sweep --queue on this machine',
    env: 'the optional parts that are there',
    completion: 'the completion script of a shell',
  },
}

const after = `
Begin with:
  tpu-toolkit inspect 0.1 --all   what each format makes of 0.1
  tpu-toolkit nan                 train until the loss is NaN, and read why
  tpu-toolkit gallery             see every failure beside its cure
  tpu-toolkit doctor softmax      find the operation that has to be wide
  tpu-toolkit lab                 the same in a browser

tpu-toolkit <command> --help shows the options and examples of a command.
--no-color prints without colours, as NO_COLOR=1 does; FORCE_COLOR=1 keeps them.`

/** The program `tpu-toolkit`. */
const program: ProgramOptions = {
  name: 'tpu-toolkit',
  description: 'A numerics laboratory for low-precision training: its experiments and tools.',
  version: packageVersion(),
  subcommands,
  needAll: ['completion'],
  ...{ groups, after },
}

/** The command `tpu-toolkit` with its subcommands; returns the exit status. */
export function runTpuToolkit(args: readonly string[], terminal: Terminal): Promise<number> {
  return runProgram(program, args, terminal)
}
