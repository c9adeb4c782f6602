import { type Argument, Command, CommanderError } from 'commander'
import {
  checkArray,
  checkFunction,
  checkOptions,
  nearestName,
  type OptionTable,
} from '../../base/options/index.js'
import { wrapped } from '../../base/text/index.js'
import { BadInput } from './badInput.js'
import { emphasized } from './emphasized.js'
import { CannotWrite } from './openReport.js'
import type { Subcommand } from './subcommand.js'
import type { Terminal } from './terminal.js'
import { withoutPasswords } from './withoutPasswords.js'

/** A program of several commands. */
export interface ProgramOptions {
  readonly name: string
  readonly description: string
  readonly version: string
  /** The commands in the order of the help; each is loaded when it is asked for. */
  readonly subcommands: Readonly<Record<string, () => Promise<Subcommand>>>
  /** The commands that speak of all the others, which are loaded beside them. */
  readonly needAll?: readonly string[]
  /** The commands by heading, each with the line that the help has for it. Those of no group come last. */
  readonly groups?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** What follows the list of commands in the help. */
  readonly after?: string
}

const programNames: OptionTable<ProgramOptions> = {
  ...{ name: 'required', description: 'required', version: 'required', subcommands: 'required' },
  ...{ needAll: 'optional', groups: 'optional', after: 'optional' },
}

/**
 * Runs the command that the arguments (without node and script) name. Returns the exit status: what the command reports, or
 * 2 with one line that begins with the command's name for every mistake in the options, or 1 where what it was to write
 * cannot be written. Anything else that is thrown is a
 * bug. `help <command>` is `<command> --help`.
 */
export async function runProgram(
  options: ProgramOptions,
  given: readonly string[],
  terminal: Terminal,
): Promise<number> {
  checkOptions('runProgram', options, programNames)
  checkArray('runProgram', 'given', given)
  const { name, description, version, subcommands, needAll = [], groups = {}, after = '' } = options
  const args = given[0] === 'help' ? [...given.slice(1, 2), '--help'] : given
  const [asked = ''] = args
  const program = new Command(name)
    .description(description)
    .version(version, '-v, --version', 'show the version')
    .helpCommand(false)
    .addHelpText('after', after)
  const run = session(program, terminal)
  const known = Object.hasOwn(subcommands, asked)
  if (asked !== '' && !asked.startsWith('-') && !known) {
    const near = nearestName(asked, Object.keys(subcommands))
    const advice =
      near === undefined ? `there are ${Object.keys(subcommands).join(', ')}` : `did you mean ${near}`
    complain(terminal, name, `unknown command, ${advice} [${asked.slice(0, 50)}]`)
    return 2
  }
  const grouped = Object.entries(groups).flatMap(([heading, lines]) =>
    Object.entries(lines).map(([each, summary]) => [each, { heading: `${heading}:`, summary }] as const),
  )
  const lineOf = new Map(grouped)
  const inOrder = new Set([...lineOf.keys(), ...Object.keys(subcommands)])
  for (const each of known && !needAll.includes(asked) ? [asked] : inOrder) {
    const subcommand = await subcommands[each]!()
    const command = subcommand(terminal, run.report)
    const line = lineOf.get(each)
    if (line) command.helpGroup(line.heading).summary(line.summary)
    program.addCommand(command.copyInheritedSettings(program).helpOption('-h, --help', 'show this help'))
  }
  return run.parse(args, known ? asked : name)
}

/** Runs a program that is one command, by the same rules. */
export function runCommand(
  subcommand: Subcommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  checkFunction('runCommand', 'subcommand', subcommand)
  checkArray('runCommand', 'args', args)
  let run: ReturnType<typeof session> | undefined
  const command = subcommand(terminal, (status) => run?.report(status))
  run = session(command, terminal)
  return run.parse(args, command.name())
}

/** Headings that a command writes into its help itself. */
const headings = ['Example:', 'Examples:', 'Begin with:']

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** Prints a mistake, which begins with the command's name, as wide as the screen is. */
function complain({ error, errors = {} }: Terminal, name: string, problem: string): void {
  const text = wrapped(`${name}: ${problem}`, errors.width)
  error(`${errors.colors ? emphasized(text, { red: [`${name}:`] }) : text}\n`)
}

/** A command that prints on a terminal, and its status. */
function session(command: Command, terminal: Terminal) {
  let status = 0
  let said = ''
  command
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: (text) => terminal.out(terminal.colors ? emphasized(text, { bold: headings }) : text),
      getOutHasColors: () => terminal.colors ?? false,
      getErrHasColors: () => false,
      writeErr: (text) => {
        said += withoutPasswords(text)
      },
      ...(terminal.width === undefined ? {} : { getOutHelpWidth: () => terminal.width! }),
    })
    .configureHelp({
      styleTitle: (title) => (terminal.colors ? emphasized(title, { bold: [title] }) : title),
      // That each command has options need not be said on every line.
      subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(argumentTerm)].join(' '),
    })
    .showSuggestionAfterError(false)
  return {
    report: (reported: number): void => {
      status = reported
    },
    parse: async (args: readonly string[], name: string): Promise<number> => {
      try {
        await command.parseAsync(args, { from: 'user' })
        return status
      } catch (thrown) {
        if (thrown instanceof BadInput || thrown instanceof CannotWrite) {
          complain(terminal, name, withoutPasswords(thrown.message))
          return thrown instanceof BadInput ? 2 : 1
        }
        if (!(thrown instanceof CommanderError)) throw thrown
        if (thrown.exitCode === 0) return 0
        const text = said.replace(/^error: /, '').trim()
        if (args.length === 0) terminal.error(said)
        else complain(terminal, name, `${text}${advised(thrown, command, name)}`)
        return 2
      }
    },
  }
}

/** The option that an unknown one was most likely meant to be. */
function advised({ code, message }: CommanderError, program: Command, name: string): string {
  const [, flag] = /unknown option '(--?[^'=]+)/.exec(message) ?? []
  if (code !== 'commander.unknownOption' || flag === undefined) return ''
  const command = program.commands.find((each) => each.name() === name) ?? program
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? [])
  const near = nearestName(flag, flags)
  return near === undefined ? '' : `, did you mean ${near}`
}
