import type { Command } from 'commander'
import { BadInput } from '../io/badInput.js'
import type { Terminal } from '../io/terminal.js'
import { claimsFile } from './claimsFile.js'
import { planProgramFile } from './planProgramFile.js'

/** The options of a plan that is of no model. */
interface OtherGiven {
  readonly program?: string
  readonly chip?: string
  readonly function?: string
  readonly claims?: boolean
  readonly json?: boolean
  readonly out?: string
}

/** The options that each plan takes, beside --json and --out. */
const own = { program: ['program', 'chip', 'function'], claims: ['claims'] } as const

/** A plan of a program, or the claims of toolkits; undefined where a model is planned. */
export function otherPlan(
  model: string | undefined,
  given: OtherGiven,
  command: Command,
  terminal: Terminal,
): number | undefined {
  const { program, claims } = given
  const set = Object.keys(command.opts()).filter((name) => command.getOptionValueSource(name) === 'cli')
  const mode = program !== undefined ? 'program' : claims ? 'claims' : undefined
  if (mode === undefined) {
    const stray = set.find((name) => name === 'chip' || name === 'function')
    if (stray !== undefined) {
      throw new BadInput(`--${stray} belongs to --program, a model is planned on --slice`)
    }
    if (model === undefined) throw new BadInput('no model, and neither --program nor --claims')
    return undefined
  }
  if (model !== undefined) throw new BadInput(`--${mode} stands in place of a model [${model.slice(0, 50)}]`)
  const taken: readonly string[] = [...own[mode], 'json', 'out']
  const extra = set.find((name) => !taken.includes(name))
  if (extra !== undefined) throw new BadInput(`--${extra} is not for --${mode}`)
  return program === undefined
    ? claimsFile(given, terminal)
    : planProgramFile({ ...given, program }, terminal)
}
