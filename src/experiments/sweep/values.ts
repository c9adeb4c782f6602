import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { ParamValue } from './trial.js'

/** Numbers between two ends, both included. */
export interface ValueRange {
  readonly kind: 'log' | 'linear' | 'integers'
  readonly from: number
  readonly to: number
  /** How many values a grid takes of it. */
  readonly points?: number
}

/** How a range stands in a grid. */
export interface RangeOptions {
  /** How many values, evenly spaced (on the logarithm, for `log`), both ends among them. */
  readonly points?: number
}

const names: OptionTable<RangeOptions> = { points: 'optional' }

/**
 * Values of a parameter, evenly spaced on a logarithmic axis, for rates and scales; `log` of tensor is the logarithm.
 *
 * Throws    RangeError for ends that are not positive, or the first above the second.
 *
 * @example log(1e-4, 1e-2, { points: 3 }) // { kind: 'log', from: 0.0001, to: 0.01, points: 3 }
 */
export function log(from: number, to: number, options: RangeOptions = noOptions): ValueRange {
  checkNumber('log', 'from', from, Number.MIN_VALUE)
  checkNumber('log', 'to', to, from)
  return range('log', from, to, options)
}

/** Values of a parameter, evenly spaced; `nn.linear` is the layer. */
export function linear(from: number, to: number, options: RangeOptions = noOptions): ValueRange {
  checkNumber('linear', 'from', from)
  checkNumber('linear', 'to', to, from)
  return range('linear', from, to, options)
}

/** Whole numbers, evenly spread. In a grid without points, all of them. */
export function integers(from: number, to: number, options: RangeOptions = noOptions): ValueRange {
  checkInteger('integers', 'from', from, Number.MIN_SAFE_INTEGER)
  checkInteger('integers', 'to', to, from)
  return range('integers', from, to, options)
}

function range(kind: ValueRange['kind'], from: number, to: number, options: RangeOptions): ValueRange {
  checkOptions(kind, options, names, { positional: 'points' })
  const { points } = options
  if (points === undefined) return { kind, from, to }
  checkInteger(kind, 'points', points, 1, 10_000)
  return { kind, from, to, points }
}

/** The value at `u` of [0, 1); of `log` and `linear` in six digits. */
export function valueAt(values: readonly ParamValue[] | ValueRange, u: number): ParamValue {
  if (!isRange(values)) return values[Math.floor(u * values.length)]!
  const { kind, from, to } = values
  if (kind === 'integers') return Math.min(to, from + Math.floor(u * (to - from + 1)))
  return between(values, u)
}

/** The values of a grid; undefined where a range does not say how many. */
export function gridValues(values: readonly ParamValue[] | ValueRange): readonly ParamValue[] | undefined {
  if (!isRange(values)) return values
  const { kind, from, to } = values
  const points = values.points ?? (kind === 'integers' && to - from < 10_000 ? to - from + 1 : undefined)
  if (points === undefined) return undefined
  const at = (i: number): number => (points === 1 ? 0 : i / (points - 1))
  const all = Array.from({ length: points }, (_, i) =>
    kind === 'integers' ? Math.round(from + at(i) * (to - from)) : between(values, at(i)),
  )
  return [...new Set(all)]
}

/** How many values there are to choose among. */
export function choices(values: readonly ParamValue[] | ValueRange): number {
  if (!isRange(values)) return values.length
  if (values.from === values.to) return 1
  return values.kind === 'integers' ? values.to - values.from + 1 : Number.POSITIVE_INFINITY
}

/** Whether these are numbers between two ends rather than a list. */
export function isRange(values: readonly ParamValue[] | ValueRange): values is ValueRange {
  return 'kind' in values
}

// A power's last bits differ between engines; its first six digits can only where they lie at half a digit.
function between({ kind, from, to }: ValueRange, u: number): number {
  if (u === 0) return from
  if (u === 1) return to
  const value = kind === 'log' ? from * (to / from) ** u : from * (1 - u) + to * u
  return Math.min(to, Math.max(from, Number(value.toPrecision(6))))
}
