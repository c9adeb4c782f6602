import { nearestName } from './nearestName.js'
import { shown } from './shown.js'

/**
 * The names of an options record, each said to be required or optional: what the type says, as data. A name that the type
 * has and the table has not does not compile, so a new option cannot be forgotten:
 * `const scanNames: OptionTable<ScanOptions> = { axis: 'optional', order: 'optional', ... }`.
 */
export type OptionTable<O> = {
  readonly [K in keyof O]-?: Record<never, never> extends Pick<O, K> ? 'optional' : 'required'
}

/** An `OptionTable` of any record. */
export type OptionNames = Readonly<Record<string, 'required' | 'optional'>>

/**
 * The default of a parameter for options of which none is required: `options: O = noOptions`. `checkOptions` knows it, so a
 * call without options pays for no check.
 */
export const noOptions: Readonly<Record<never, never>> = Object.freeze({})

/** What a caller may have meant by an argument that is no options record. */
export interface OptionHints {
  /**
   * The option that NumPy, JAX or tfjs pass by position: given in the record's place, a value that is no record is answered
   * by how the call is written here.
   */
  readonly positional?: string
}

/**
 * Checks the options of a call: a record, every required name there, no unknown name. Undefined stands for no options. The
 * values themselves are the caller's to check.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    TypeError where `options` is no record; RangeError for an unknown or missing name, the nearest known one named.
 * Cost      one look-up for each name given.
 *
 * @example checkOptions('f', { axis: 0 }, { axis: 'optional', order: 'optional' }) // undefined
 * @example checkOptions('f', { axes: 0 }, { axis: 'optional' }) // throws f: unknown option, did you mean axis [axes]
 * @example checkOptions('f', 0, { axis: 'optional' }, { positional: 'axis' }) // throws f: options are not an object, write { axis: 0 } [0]
 */
export function checkOptions(op: string, options: unknown, known: OptionNames, hints?: OptionHints): void {
  if (options === noOptions) return
  const given = options === undefined ? {} : options
  if (!isRecord(given)) {
    const positional = hints?.positional
    const written = positional === undefined ? '' : `, write { ${positional}: ${literal(given)} }`
    throw new TypeError(`${op}: options are not an object${written} [${shown(given)}]`)
  }
  for (const name in given) if (!Object.hasOwn(known, name)) throw unknownOption(op, name, known)
  checkPresent(op, given, known)
}

// Looked through once for each table: most tables have no required name, and small operations are called often.
const required = new WeakMap<OptionNames, readonly string[]>()

function requiredOf(known: OptionNames): readonly string[] {
  let names = required.get(known)
  if (names === undefined) {
    names = Object.keys(known).filter((name) => known[name] === 'required')
    required.set(known, names)
  }
  return names
}

function checkPresent(op: string, options: Readonly<Record<string, unknown>>, known: OptionNames): void {
  for (const name of requiredOf(known)) {
    if (options[name] === undefined) {
      throw new RangeError(
        `${op}: option ${name} is missing [${Object.keys(options).join(', ') || 'no options'}]`,
      )
    }
  }
}

function unknownOption(op: string, name: string, known: OptionNames): RangeError {
  const names = Object.keys(known)
  const near = nearestName(name, names)
  const advice =
    near !== undefined
      ? `did you mean ${near}`
      : names.length > 0
        ? `there are ${names.join(', ')}`
        : 'there are none'
  return new RangeError(`${op}: unknown option, ${advice} [${shown(name)}]`)
}

// Class instances other than plain records (a Tensor, a Map, an array) are never options: they were meant to be operands.
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${shown(value)}'`
  return Array.isArray(value) ? `[${shown(value)}]` : shown(value)
}
