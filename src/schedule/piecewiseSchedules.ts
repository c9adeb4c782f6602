import { checkName, checkOptions, type OptionTable } from '../base/options/index.js'
import { blend, cosineShare } from './blend.js'
import { checkFinite, checkNotNegative } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/** The initial value, and the factors by step. */
export interface PiecewiseConstantOptions {
  readonly initValue: number
  /** What the value is multiplied by, by the step from which on; neither is negative. Default none. */
  readonly boundariesAndScales?: Readonly<Record<number, number>>
}

/** The names of `PiecewiseConstantOptions`. */
const constantNames: OptionTable<PiecewiseConstantOptions> = {
  initValue: 'required',
  boundariesAndScales: 'optional',
}

/** `PiecewiseConstantOptions`, and how the values are interpolated. */
export interface PiecewiseInterpolateOptions extends PiecewiseConstantOptions {
  readonly interpolateType: 'linear' | 'cosine'
}

/** The names of `PiecewiseInterpolateOptions`. */
const interpolateNames: OptionTable<PiecewiseInterpolateOptions> = {
  ...constantNames,
  interpolateType: 'required',
}

/** The knots of a piecewise schedule in ascending order: step 0 with the initial value, then running products. */
interface Knots {
  readonly steps: readonly number[]
  readonly values: readonly number[]
}

/**
 * Steps: initValue times the scales of all boundaries up to the step, that of the boundary itself included.
 *
 * Source    optax 0.2.8, piecewise_constant_schedule
 *
 * @example const rate = piecewiseConstantSchedule({ initValue: 1, boundariesAndScales: { 50: 0.5, 80: 0.25 } })
 * [0, 49, 50, 79, 80].map(rate) // [1, 1, 0.5, 0.5, 0.125]
 */
export function piecewiseConstantSchedule(options: PiecewiseConstantOptions): Schedule {
  const op = 'piecewiseConstantSchedule'
  checkOptions(op, options, constantNames)
  const knots = runningProducts(op, options)
  return checked(op, (step) => knots.values[lastKnot(knots, step)]!)
}

/**
 * The values of `piecewiseConstantSchedule` at the boundaries, joined by lines or by half cosine waves; the last is held.
 * From knot v at step b to knot w at step c, with q = (step - b) / (c - b): (w - v) q + v, or
 * w + (v - w) (1 + cos(pi q)) / 2. The knots are exact.
 *
 * Error     4 ulp of float64 of the larger knot.
 * Source    optax 0.2.8, piecewise_interpolate_schedule
 *
 * @example const rate = piecewiseInterpolateSchedule({ interpolateType: 'linear', initValue: 1, boundariesAndScales: { 4: 0.5, 8: 0 } })
 * [0, 2, 4, 6, 8, 9].map(rate) // [1, 0.75, 0.5, 0.25, 0, 0]
 */
export function piecewiseInterpolateSchedule(options: PiecewiseInterpolateOptions): Schedule {
  checkOptions('piecewiseInterpolateSchedule', options, interpolateNames)
  return interpolate('piecewiseInterpolateSchedule', options)
}

/** The same function, under another name in its errors. */
export function interpolate(op: string, options: PiecewiseInterpolateOptions): Schedule {
  const { interpolateType } = options
  checkName(op, 'interpolateType', interpolateType, ['linear', 'cosine'])
  const knots = runningProducts(op, options)
  const { steps, values } = knots
  return checked(op, (step) => {
    const i = lastKnot(knots, step)
    if (i === steps.length - 1) return values[i]!
    const q = (step - steps[i]!) / (steps[i + 1]! - steps[i]!)
    return interpolateType === 'linear'
      ? blend(values[i + 1]!, values[i]!, q)
      : blend(values[i]!, values[i + 1]!, cosineShare(q))
  })
}

function runningProducts(
  op: string,
  { initValue, boundariesAndScales = {} }: PiecewiseConstantOptions,
): Knots {
  checkFinite(op, { initValue })
  const steps = [0]
  const values = [initValue]
  const pairs = Object.entries(boundariesAndScales).map(([key, scale]) => ({
    key,
    boundary: Number(key),
    scale,
  }))
  for (const { key, boundary, scale } of pairs.sort((a, b) => a.boundary - b.boundary)) {
    if (!(boundary >= 0 && Number.isFinite(boundary))) {
      throw new RangeError(`${op}: a boundary is not a finite number, 0 or more [${key}]`)
    }
    checkNotNegative(op, { [`the scale at ${key}`]: scale })
    steps.push(boundary)
    const value = values.at(-1)! * scale
    checkFinite(op, { [`the value from ${key} on`]: value })
    values.push(value)
  }
  return { steps, values }
}

function lastKnot({ steps }: Knots, step: number): number {
  let i = steps.length - 1
  while (step < steps[i]!) i--
  return i
}
