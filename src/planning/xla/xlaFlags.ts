import { checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'
import { flag, uselessOn } from './flag.js'
import { type FlagLevel, type FlagSet, flagLevels, flagSets } from './flagSets.js'
import { kindText, takesValue } from './flagValue.js'
import { type Environment, lintFlags } from './lintFlags.js'
import { parseFlags } from './parseFlags.js'

/** The generation, and which flags are to be set on it. */
export interface XlaFlagsOptions {
  readonly hardware: ChipName
  /** How many flags to set: 'none', 'basic', 'standard' or 'aggressive'. Default: 'standard'. */
  readonly level?: FlagLevel
  /** Whether the model is a mixture of experts, for which MaxText leaves operations less VMEM on v6e. Default: false. */
  readonly mixtureOfExperts?: boolean
  /** 'float32': bfloat16 gradients are summed in float32 by all-reduce; 'default': as libtpu has it. Default: 'default'. */
  readonly reductions?: 'default' | 'float32'
  /** A folder for the HLO of everything compiled. Default: none. */
  readonly dumpTo?: string
  /** Custom flags, name to value; they override those of the level. Default: none. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>
  /** The variables as they are set, such as process.env: what stands there stays, and wins. Default: none. */
  readonly set?: Environment
  /** Whether `flags` and `set` may have names that the table has not; a name unknown to libtpu ends the process. Default: false. */
  readonly allowUnlisted?: boolean
}

const xlaFlagsNames: OptionTable<XlaFlagsOptions> = {
  hardware: 'required',
  level: 'optional',
  mixtureOfExperts: 'optional',
  reductions: 'optional',
  dumpTo: 'optional',
  flags: 'optional',
  set: 'optional',
  allowUnlisted: 'optional',
}

/** Environment variables to set before jax is imported. */
export interface FlagAssignments {
  readonly LIBTPU_INIT_ARGS?: string
  readonly XLA_FLAGS?: string
}

/**
 * The flags for a generation as environment variables: `get_xla_flags` of the Python toolkit, of names that libtpu has, each
 * in the variable that it belongs to. Set them before jax is imported: both are read once. What is set already stays and
 * ours follow; flags that do nothing on the generation are left out.
 *
 * Throws    RangeError for an unknown chip or level, and for flags, given or set, that would end the process: a name that
 *           libtpu does not know or the table has not (`allowUnlisted` lets those pass), a value of another kind, a name in the other library's
 *           variable.
 * Source    `flagSets`; no figure for what they gain was found
 *
 * @example xlaFlags({ hardware: 'v4', level: 'basic' }) // { LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=true' }
 * @example xlaFlags({ hardware: 'v4', set: { LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=false' } }) // { LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=false' }
 * @example xlaFlags({ hardware: 'v5e', level: 'none', dumpTo: '/tmp/hlo' }) // { XLA_FLAGS: '--xla_dump_to=/tmp/hlo' }
 * @example xlaFlags({ hardware: 'v5p', flags: { xla_tpu_bf16_reduction: false } }) // throws xlaFlags: no such flag, nearest xla_jf_bf16_inside_cross_replica_sum [xla_tpu_bf16_reduction]
 */
export function xlaFlags(options: XlaFlagsOptions): FlagAssignments {
  checkOptions('xlaFlags', options, xlaFlagsNames)
  const { name } = chip(options.hardware)
  const { set = {}, allowUnlisted = false } = options
  checkSet(set, allowUnlisted)
  const wanted = { ...ofLevel(name, options), ...ownFlags(options.flags ?? {}, allowUnlisted) }
  const assignments: { -readonly [K in keyof FlagAssignments]: string } = {}
  for (const variable of ['LIBTPU_INIT_ARGS', 'XLA_FLAGS'] as const) {
    const before = set[variable]?.trim() ?? ''
    const taken = new Set(parseFlags(before).map((word) => word.name))
    const added = Object.entries(wanted)
      .filter(([flagName]) => variableOf(flagName) === variable && !taken.has(flagName))
      .map(([flagName, value]) => `--${flagName}=${value}`)
    const text = [before, ...added].filter((part) => part !== '').join(' ')
    if (text !== '') assignments[variable] = text
  }
  return assignments
}

/** The flags of a level and of the switches, those that do nothing left out. */
function ofLevel(name: ChipName, options: XlaFlagsOptions): FlagSet {
  const { level = 'standard', mixtureOfExperts = false, reductions = 'default', dumpTo } = options
  checkName('xlaFlags', 'level', level, flagLevels)
  checkName('xlaFlags', 'reductions', reductions, ['default', 'float32'])
  const wanted: Record<string, string> = {}
  for (const each of flagLevels.slice(0, flagLevels.indexOf(level) + 1)) {
    Object.assign(wanted, flagSets[name][each])
  }
  if (mixtureOfExperts && name === 'v6e' && 'xla_tpu_scoped_vmem_limit_kib' in wanted) {
    wanted['xla_tpu_scoped_vmem_limit_kib'] = '81920'
  }
  if (reductions === 'float32') {
    wanted['xla_jf_bf16_inside_cross_replica_sum'] = 'false'
    wanted['xla_sc_force_bf16_collective_reductions_to_f32'] = 'true'
  }
  if (dumpTo !== undefined) {
    if (typeof dumpTo !== 'string' || !/^\S+$/.test(dumpTo)) {
      throw new RangeError(`xlaFlags: dumpTo is not a folder's name without spaces [${shown(dumpTo)}]`)
    }
    wanted['xla_dump_to'] = dumpTo
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(([flagName]) => uselessOn(flagName, name) === undefined),
  )
}

function ownFlags(
  given: Readonly<Record<string, string | number | boolean>>,
  allowUnlisted: boolean,
): FlagSet {
  for (const [name, value] of Object.entries(given)) {
    const [found] = lintFlags({ [variableOf(name)]: `--${name}=${value}` })
    if (found && !(allowUnlisted && found.problem === 'unlisted name')) {
      throw refused(name, found.instead, value)
    }
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
}

function refused(name: string, instead: string | null, value: string | number | boolean): RangeError {
  try {
    const { kind, variable } = flag(name)
    if (!takesValue(kind, String(value), variable)) {
      return new RangeError(`xlaFlags: ${name} takes ${kindText[kind]} [${shown(value)}]`)
    }
    return new RangeError(`xlaFlags: ${name} does nothing on a TPU [${shown(value)}]`)
  } catch {
    const near = instead === null ? '' : `, nearest ${instead.replace(/^.*--|=.*$/g, '')}`
    return new RangeError(`xlaFlags: no such flag${near} [${shown(name)}]`)
  }
}

function variableOf(name: string): 'LIBTPU_INIT_ARGS' | 'XLA_FLAGS' {
  try {
    return flag(name).variable
  } catch {
    return 'LIBTPU_INIT_ARGS'
  }
}

function checkSet(set: Environment, allowUnlisted: boolean): void {
  for (const { variable, text, effect, message } of lintFlags(set)) {
    if (effect !== 'ends the process' && !(effect === 'unknown' && !allowUnlisted)) continue
    throw new RangeError(
      `xlaFlags: what is set in ${variable} would end the process: ${message} [${shown(text)}]`,
    )
  }
}
