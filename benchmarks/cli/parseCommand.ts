import { type Command, CommanderError } from 'commander'
import type { Terminal } from './terminal.js'

/** What parsing ends with: the options, or what to print and the exit status. */
export type Parsed<Options> = { readonly options: Options } | Ended

/** A command that ends before it begins. */
export interface Ended {
  readonly status: number
  readonly out: string
  readonly error: string
}

/** Prints what such a command has to say; returns its exit status. */
export function end({ status, out, error }: Ended, terminal: Terminal): number {
  terminal.out(out)
  terminal.error(error)
  return status
}

/** A value on the command line, or in a file that it names, that the command cannot take. */
export class BadValue extends Error {}

/**
 * Reads the command line (without node and script) into options. Every mistake, the command's own and each BadValue that
 * `read` throws, is one line that begins with the command's name, and status 2.
 */
export function parseCommand<Given extends object, Options>(
  command: Command,
  args: readonly string[],
  read: (given: Given) => Options,
): Parsed<Options> {
  let out = ''
  let error = ''
  command
    .helpOption('--help', 'show this text')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (error += text) })
  try {
    command.parse(args, { from: 'user' })
    return { options: read(command.opts<Given>()) }
  } catch (thrown) {
    if (thrown instanceof BadValue) return mistake(command, thrown.message)
    if (!(thrown instanceof CommanderError)) throw thrown
    if (thrown.exitCode === 0) return { status: 0, out, error: '' }
    return mistake(command, error.replace(/^error: /, '').trim())
  }
}

function mistake(command: Command, message: string): Ended {
  return { status: 2, out: '', error: `${command.name()}: ${message}\n` }
}

/** Names separated by commas, in the order of `known`; `what` is what one of them is called. */
export function readNames(what: string, text: string, known: readonly string[]): string[] {
  const asked = text.split(',').map((name) => name.trim())
  const unknown = asked.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new BadValue(`unknown ${what} [${unknown.join(', ').slice(0, 50)}], there are ${known.join(', ')}`)
  }
  return known.filter((name) => asked.includes(name))
}

/** An integer of an option, within limits. */
export function readInteger(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new BadValue(`--${option} takes integers ${least} ... ${most} [${text.slice(0, 50)}]`)
}
