import { checkInteger, checkRecord, shown } from '../../base/options/index.js'

/** The value of one parameter. */
export type ParamValue = string | number | boolean | null

/** Parameters by name. */
export type Params = Readonly<Record<string, ParamValue>>

/** One requested run. */
export interface Trial {
  /** What two trials have in common exactly if they are the same. */
  readonly key: string
  readonly params: Params
  /** How far it is to run, where a search says so. */
  readonly steps?: number
}

/**
 * A trial of these parameters. Its key does not depend on the order in which they are named.
 *
 * Throws    TypeError for a value that is neither a text, a number, true, false nor null; RangeError for a number that is
 *           not finite, and for steps that are not a whole number, 1 or more.
 *
 * @example makeTrial({ width: 32, lr: 0.1 }).key // '[["lr",0.1],["width",32]]'
 * makeTrial({ lr: 0.1 }, 9).key // '[["lr",0.1]] to 9'
 * makeTrial({ lr: NaN }) // throws makeTrial: lr is not a finite number [NaN]
 */
export function makeTrial(params: Params, steps?: number): Trial {
  checkRecord('makeTrial', 'params', params)
  const plain: Record<string, ParamValue> = {}
  for (const [name, value] of Object.entries(params)) plain[name] = paramValue(name, value)
  const pairs = JSON.stringify(Object.entries(plain).sort(([a], [b]) => (a < b ? -1 : 1)))
  if (steps === undefined) return { key: pairs, params: plain }
  checkInteger('makeTrial', 'steps', steps, 1)
  return { key: `${pairs} to ${steps}`, params: plain, steps }
}

function paramValue(name: string, value: unknown): ParamValue {
  // What a file of JSON keeps has one zero.
  if (value === 0) return 0
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw new RangeError(`makeTrial: ${name} is not a finite number [${value}]`)
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  throw new TypeError(`makeTrial: ${name} is no text, number, true, false or null [${shown(value)}]`)
}

/** The parameters as a person reads them: `lr 0.1, width 32`. */
export function trialText({ params, steps }: Trial): string {
  const named = Object.entries(params).map(([name, value]) => `${name} ${value}`)
  return [...named, ...(steps === undefined ? [] : [`to step ${steps}`])].join(', ') || 'no parameters'
}
