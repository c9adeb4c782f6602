import { Command } from 'commander'
import { readName } from '../io/readNames.js'
import type { Subcommand } from '../io/subcommand.js'
import { type CompletedCommand, completionScript, type Shell } from './completionScript.js'

const shells = Object.keys(completionScript) as Shell[]

/** `completion`: a script with which a shell completes the subcommands and their options. */
export const completionCommand: Subcommand = (terminal) =>
  new Command('completion')
    .description('Prints a completion script for a shell.')
    .argument('<shell>', shells.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(tpu-toolkit completion bash)\n  tpu-toolkit completion zsh > ~/.zsh/completions/_tpu-toolkit\n  tpu-toolkit completion fish > ~/.config/fish/completions/tpu-toolkit.fish',
    )
    .action((name: string, _: object, command: Command) => {
      const shell = readName('shell', name, shells)
      const program = command.parent!
      terminal.out(completionScript[shell](program.name(), program.commands.map(completed)))
    })

function completed(command: Command): CompletedCommand {
  const options = command.createHelp().visibleOptions(command)
  return {
    name: command.name(),
    description: command.description(),
    options: options.flatMap(({ long, description, required, optional }) =>
      long ? [{ flag: long, description, takesValue: required || optional }] : [],
    ),
  }
}
