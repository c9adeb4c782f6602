import { Command, CommanderError } from 'commander'
import { BadInput } from './badInput.js'
import { ownVersion } from './ownVersion.js'
import type { Subcommand } from './subcommand.js'
import type { Terminal } from './terminal.js'

/** The subcommands in the order of the help. Each is loaded when it is asked for: some bring a plotting library. */
const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  drift: async () => (await import('./drift/drift.js')).driftCommand,
  nan: async () => (await import('./nan.js')).nanCommand,
  sweep: async () => (await import('./sweep.js')).sweepCommand,
  gallery: async () => (await import('./gallery.js')).galleryCommand,
  doctor: async () => (await import('./doctor.js')).doctorCommand,
  formats: async () => (await import('./formatsCommand.js')).formatsCommand,
  inspect: async () => (await import('./inspect.js')).inspectCommand,
  quantize: async () => (await import('./quantize.js')).quantizeCommand,
  schedule: async () => (await import('./schedule.js')).scheduleCommand,
  env: async () => (await import('./env.js')).envCommand,
  completion: async () => (await import('./completion.js')).completionCommand,
}

/**
 * The command `tpu-toolkit` with its subcommands. Returns the exit status: what the subcommand reports, or 2 with one
 * line that begins with the subcommand's name for every mistake in the options. Anything else that is thrown is a bug.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0
  let said = ''
  const quiet = { writeOut: terminal.out, writeErr: (text: string) => (said += text) }
  const program = new Command('tpu-toolkit')
    .description('A numerics laboratory for low-precision training: its experiments.')
    .helpOption('--help', 'show this text')
    .version(ownVersion(), '--version', 'show the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput(quiet)
    .showSuggestionAfterError(false)
  const [asked = ''] = args
  // A completion is about all of them.
  const one = Object.hasOwn(subcommands, asked) && asked !== 'completion'
  const names = one ? [asked] : Object.keys(subcommands)
  for (const name of names) {
    const subcommand = await subcommands[name]!()
    const command = subcommand(terminal, (reported) => (status = reported))
    program.addCommand(command.copyInheritedSettings(program).helpOption('--help', 'show this text'))
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (thrown) {
    const name = Object.hasOwn(subcommands, asked) ? asked : program.name()
    if (thrown instanceof BadInput) {
      terminal.error(`${name}: ${thrown.message}\n`)
      return 2
    }
    if (!(thrown instanceof CommanderError)) throw thrown
    if (thrown.exitCode === 0) return 0
    terminal.error(args.length === 0 ? said : `${name}: ${said.replace(/^error: /, '').trim()}\n`)
    return 2
  }
}
