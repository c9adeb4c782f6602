import { packageVersion } from '../training/files/index.js'
import { type ProgramOptions, runProgram } from './io/runProgram.js'
import type { Subcommand } from './io/subcommand.js'
import type { Terminal } from './io/terminal.js'

/** The commands in the order of the help, each in a room of its own. Some bring a plotting library: loaded when asked for. */
const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  drift: async () => (await import('./drift/drift.js')).driftCommand,
  kernels: async () => (await import('./kernels/kernels.js')).kernelsCommand,
  nan: async () => (await import('./nan/nan.js')).nanCommand,
  sweep: async () => (await import('./sweep/sweep.js')).sweepCommand,
  recipe: async () => (await import('./recipe/recipe.js')).recipeCommand,
  worker: async () => (await import('./worker/worker.js')).workerCommand,
  rl: async () => (await import('./rl/rl.js')).rlCommand,
  gallery: async () => (await import('./gallery/gallery.js')).galleryCommand,
  doctor: async () => (await import('./doctor/doctor.js')).doctorCommand,
  program: async () => (await import('./program/program.js')).programCommand,
  compare: async () => (await import('./compare/compare.js')).compareCommand,
  diagnose: async () => (await import('./diagnose/diagnose.js')).diagnoseCommand,
  formats: async () => (await import('./formats/formats.js')).formatsCommand,
  inspect: async () => (await import('./inspect/inspect.js')).inspectCommand,
  quantize: async () => (await import('./quantize/quantize.js')).quantizeCommand,
  vq: async () => (await import('./vq/vq.js')).vqCommand,
  schedule: async () => (await import('./schedule/schedule.js')).scheduleCommand,
  chips: async () => (await import('./chips/chips.js')).chipsCommand,
  plan: async () => (await import('./plan/plan.js')).planCommand,
  roofline: async () => (await import('./roofline/roofline.js')).rooflineCommand,
  flags: async () => (await import('./flags/flags.js')).flagsCommand,
  audit: async () => (await import('./audit/audit.js')).auditCommand,
  lab: async () => (await import('./lab/lab.js')).labCommand,
  env: async () => (await import('./env/env.js')).envCommand,
  completion: async () => (await import('./completion/completion.js')).completionCommand,
}

/** The program `tpu-toolkit`. */
const program: ProgramOptions = {
  name: 'tpu-toolkit',
  description: 'A numerics laboratory for low-precision training: its experiments and tools.',
  version: packageVersion(),
  subcommands,
  needAll: ['completion'],
}

/** The command `tpu-toolkit` with its subcommands; returns the exit status. */
export function runTpuToolkit(args: readonly string[], terminal: Terminal): Promise<number> {
  return runProgram(program, args, terminal)
}
