import { nearestName } from '../../base/options/index.js'
import {
  integers,
  linear,
  log,
  type ParamValue,
  type Space,
  type ValueRange,
} from '../../experiments/sweep/index.js'
import { BadInput } from '../io/badInput.js'
import { readInteger } from '../io/readNumber.js'

const kinds: Readonly<
  Record<string, (from: number, to: number, options?: { readonly points?: number }) => ValueRange>
> = { log, linear, int: integers }

/**
 * The values of one parameter: a list, separated by commas, or a range, `1e-4..1e-2:log`, perhaps with how many of it a grid
 * takes, `1e-4..1e-2:log:5`. `one` reads a single value.
 */
export function readValues(
  option: string,
  text: string,
  one: (text: string) => ParamValue,
): readonly ParamValue[] | ValueRange {
  const [, first = '', last = '', kind, points] =
    /^([^,:]+?)\.\.([^,:]+?)(?::([a-z]*))?(?::([^,:]*))?$/.exec(text.trim()) ?? []
  const [from, to] = [first, last].map((end) => (end.trim() === '' ? Number.NaN : Number(end)))
  // A text with two dots, such as a path, is a value as others are.
  if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) {
    return text.split(',').map((value) => one(value.trim()))
  }
  const make = kinds[kind ?? '']
  if (make === undefined) {
    throw new BadInput(
      `--${option} is a range of no known kind, there are ${Object.keys(kinds).join(', ')}, as in ${first}..${last}:log [${text.slice(0, 50)}]`,
    )
  }
  const count = points === undefined ? {} : { points: readInteger(option, points, 1, 10_000) }
  try {
    return make(from, to, count)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new BadInput(`--${option}: ${thrown.message}`)
  }
}

/** One value of a parameter of a user's experiment: a number, true, false, null, else a text. */
export function readValue(text: string): ParamValue {
  const number = text === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) return number
  const words: Readonly<Record<string, ParamValue>> = { true: true, false: false, null: null }
  return Object.hasOwn(words, text) ? words[text]! : text
}

/** What stood on the command line beside the options that are known: the experiment, and parameters by their flags. */
export interface OtherArguments {
  readonly experiment?: string
  /** Undefined where a flag has no values. */
  readonly params: ReadonlyMap<string, string | undefined>
}

/** Reads `./experiment.mjs --width 32,64 --depth=2`. */
export function readOthers(tokens: readonly string[]): OtherArguments {
  const params = new Map<string, string | undefined>()
  let experiment: string | undefined
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const [, flag, given] = /^--([^=]+)(?:=(.*))?$/s.exec(token) ?? []
    if (flag === undefined) {
      if (token.startsWith('-')) throw new BadInput(`unknown option '${token.slice(0, 50)}'`)
      if (experiment !== undefined) throw new BadInput(`two experiments are named [${experiment}, ${token}]`)
      experiment = token
      continue
    }
    // A value may begin with a minus, another option's name does with two.
    const value = given ?? (tokens[i + 1]?.startsWith('--') ? undefined : tokens[++i])
    if (params.has(flag)) throw new BadInput(`--${flag} is given twice [${String(value).slice(0, 50)}]`)
    params.set(flag, value)
  }
  return experiment === undefined ? { params } : { experiment, params }
}

/**
 * The space of a user's experiment. A flag that is nearly one of the command's own is a mistake, not a parameter: who means it
 * writes --param name=values.
 */
export function readSpace(params: OtherArguments['params'], ours: readonly string[]): Space {
  const space: Record<string, readonly ParamValue[] | ValueRange> = {}
  for (const [flag, text] of params) {
    const near = nearestName(flag, ours)
    if (
      near !== undefined &&
      near[0] === flag[0] &&
      Math.abs(near.length - flag.length) < 2 &&
      flag.length > 3
    ) {
      throw new BadInput(
        `unknown option '--${flag}', did you mean --${near}? A parameter of that name: --param ${flag}=${text?.slice(0, 50) ?? '...'}`,
      )
    }
    if (text === undefined) throw new BadInput(`--${flag} has no values`)
    space[camelCase(flag)] = readValues(flag, text, readValue)
  }
  return space
}

/** Adds what was given as --param name=values, where the name is taken as it stands. */
export function readNamed(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const [, name, values] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      if (name === undefined) throw new BadInput(`--param is not name=values [${text.slice(0, 50)}]`)
      return [name, values!]
    }),
  )
}

/** `weight-decay` as `weightDecay`. */
export function camelCase(flag: string): string {
  return flag.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}
