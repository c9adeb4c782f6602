import { checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'
import { flagNamed, isWrongName, nearestFlag, uselessOn } from './flag.js'
import type { FlagVariable } from './flagTable.js'
import { kindText, takesValue } from './flagValue.js'
import { allowedUnknown, parseFlags, type Word } from './parseFlags.js'

/** Something about a flag that is set. */
export interface FlagFinding {
  readonly variable: string
  /** The word, as it stands there. */
  readonly text: string
  readonly problem:
    | 'unknown name'
    | 'unlisted name'
    | 'other variable'
    | 'illegal value'
    | 'not a flag'
    | 'set twice'
    | 'not for this chip'
    | 'GPU only'
  /** What happens: the process ends as soon as a client is made, or the word does nothing, or, unlisted, one cannot say. */
  readonly effect: 'ends the process' | 'does nothing' | 'unknown' | 'last one counts'
  readonly message: string
  /** What to write instead; null for nothing at all. */
  readonly instead: string | null
}

/** The generation and the environment to check. */
export interface LintFlagsOptions {
  /** The generation, to find flags that do nothing on it. */
  readonly hardware?: ChipName
}

const lintFlagsNames: OptionTable<LintFlagsOptions> = { hardware: 'optional' }

/** Environment variables by name, as process.env has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * What is wrong with flags as they are set: names that libtpu does not know end the process, as do values of the wrong kind
 * and names of libtpu in XLA_FLAGS; words without -- are ignored without a word, but the first one of XLA_FLAGS. LIBTPU_INIT_ARGS, XLA_FLAGS and a few other
 * variables are looked at, all else is not.
 *
 * Source    libtpu 0.0.51 and jaxlib 0.10.2, started with each of these
 *
 * @example lintFlags({ LIBTPU_INIT_ARGS: '--xla_tpu_bf16_reduction=false' })[0].instead // '--xla_jf_bf16_inside_cross_replica_sum=false'
 * @example lintFlags({ XLA_FLAGS: '--xla_enable_async_all_gather=true' })[0].problem // 'other variable'
 * @example lintFlags({ LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=1' })[0].problem // 'illegal value'
 * @example lintFlags({ LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=auto' }).length // 0
 */
export function lintFlags(environment: Environment, options: LintFlagsOptions = {}): FlagFinding[] {
  checkOptions('lintFlags', options, lintFlagsNames, { positional: 'hardware' })
  if (typeof environment !== 'object' || environment === null || Array.isArray(environment)) {
    throw new TypeError(
      `lintFlags: needs a record such as { LIBTPU_INIT_ARGS: '--name=value' } [${shown(environment)}]`,
    )
  }
  const generation = options.hardware === undefined ? undefined : chip(options.hardware).name
  return [
    ...lintVariable('LIBTPU_INIT_ARGS', environment['LIBTPU_INIT_ARGS'], generation),
    ...lintVariable('XLA_FLAGS', environment['XLA_FLAGS'], generation),
    ...lintOthers(environment),
  ]
}

function lintVariable(
  variable: FlagVariable,
  text: string | undefined,
  generation: ChipName | undefined,
): FlagFinding[] {
  if (text === undefined) return []
  if (typeof text !== 'string') throw new TypeError(`lintFlags: ${variable} is not text [${shown(text)}]`)
  const words = parseFlags(text)
  const allowed = variable === 'XLA_FLAGS' ? new Set<string>() : allowedUnknown(words)
  return words.flatMap((word, i) => {
    if (allowed.has(word.name)) return []
    const found =
      variable === 'XLA_FLAGS'
        ? (lintForm(word, i) ?? lintWord(variable, word, generation))
        : lintWord(variable, word, generation)
    if (found) return [found]
    const again = words.slice(i + 1).some(({ name }) => name === word.name)
    return again
      ? [finding(word, variable, 'set twice', 'last one counts', 'it is set again behind', null)]
      : []
  })
}

/** What only jaxlib minds: it reads a first word without -- as a file's name, and knows neither --noNAME nor --undefok. */
function lintForm(word: Word, index: number): FlagFinding | undefined {
  const { text, form, name, value } = word
  const ends = (problem: 'not a flag' | 'unknown name', message: string, instead: string | null) =>
    finding(word, 'XLA_FLAGS', problem, 'ends the process', message, instead)
  if (form === 'no') return ends('unknown name', 'jaxlib has no --no form', `--${name}=${value}`)
  if (form === 'undefok') return ends('unknown name', 'jaxlib has no --undefok', null)
  if (form === 'ignored' && text.startsWith('-')) {
    return ends('unknown name', 'a flag begins with --', `-${text}`)
  }
  if (form === 'ignored' && index === 0) {
    return ends('not a flag', "a first word without -- is read as a file's name", `--${text}`)
  }
  return undefined
}

function lintWord(
  variable: FlagVariable,
  word: Word,
  generation: ChipName | undefined,
): FlagFinding | undefined {
  const { name, value, form } = word
  if (form === 'undefok') return undefined
  if (form === 'ignored') {
    const [, meant = '', rest = ''] = /^-?([^=]*)(.*)$/s.exec(word.text) ?? []
    const instead = corrected(variable, nearestFlag(meant), rest)
    return finding(word, variable, 'not a flag', 'does nothing', 'words without -- are ignored', instead)
  }
  const known = flagNamed(name)
  if (known === undefined) return lintUnknown(variable, word)
  if (known.variable !== variable) {
    return finding(
      word,
      variable,
      'other variable',
      'ends the process',
      `it belongs to ${known.variable}`,
      `${known.variable}=${word.text}`,
    )
  }
  if (name.startsWith('xla_gpu_')) {
    return finding(word, variable, 'GPU only', 'does nothing', 'it is for GPUs', null)
  }
  // A bare name stands for true, which only a boolean is known to take.
  if ((form === 'bare' && known.kind !== 'bool') || !takesValue(known.kind, value, variable)) {
    return finding(
      word,
      variable,
      'illegal value',
      'ends the process',
      `it takes ${kindText[known.kind]}`,
      null,
    )
  }
  const useless = generation === undefined ? undefined : uselessOn(name, generation)
  return useless === undefined
    ? undefined
    : finding(word, variable, 'not for this chip', 'does nothing', useless, null)
}

function lintUnknown(variable: FlagVariable, word: Word): FlagFinding {
  const { name, value, form } = word
  const near = nearestFlag(name)
  const written = corrected(variable, near, form === 'bare' ? '' : `=${value}`)
  const meant = near === undefined ? '' : `, nearest ${near}`
  // In XLA_FLAGS, jaxlib refuses the wrong names as well: none of them is its own.
  if (isWrongName(name)) {
    return finding(word, variable, 'unknown name', 'ends the process', `no such flag${meant}`, written)
  }
  return finding(
    word,
    variable,
    'unlisted name',
    'unknown',
    `not in the table of known flags; a name unknown to the library ends the process${meant}`,
    written,
  )
}

/** The word that was meant, with the variable where that is another one. */
function corrected(variable: FlagVariable, near: string | undefined, rest: string): string | null {
  const known = near === undefined ? undefined : flagNamed(near)
  if (known === undefined) return null
  return `${known.variable === variable ? '' : `${known.variable}=`}--${known.name}${rest}`
}

function finding(
  { text }: Word,
  variable: string,
  problem: FlagFinding['problem'],
  effect: FlagFinding['effect'],
  message: string,
  instead: string | null,
): FlagFinding {
  return { variable, text, problem, effect, message, instead }
}

/** Variables that published toolkits set for TPUs and that do nothing there, or stop the program. */
function lintOthers(environment: Environment): FlagFinding[] {
  const found: FlagFinding[] = []
  for (const variable of ['XLA_PYTHON_CLIENT_ALLOCATOR', 'XLA_PYTHON_CLIENT_PREALLOCATE']) {
    const text = environment[variable]
    if (text !== undefined) {
      found.push({
        variable,
        text,
        problem: 'GPU only',
        effect: 'does nothing',
        message: 'only the GPU client reads it',
        instead: null,
      })
    }
  }
  const precision = environment['JAX_DEFAULT_MATMUL_PRECISION']
  if (precision === 'bf16') {
    found.push({
      ...{
        variable: 'JAX_DEFAULT_MATMUL_PRECISION',
        text: precision,
        problem: 'illegal value',
        effect: 'ends the process',
      },
      ...{ message: 'jax raises a ValueError: it is called bfloat16', instead: 'bfloat16' },
    })
  }
  return found
}
