import { checkOptions, type OptionTable } from '../base/options/index.js'
import { blend } from './blend.js'
import { checkFinite, checkNotNegative } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/** The two values, and the steps between them. */
export interface LinearOptions {
  readonly initValue: number
  readonly endValue: number
  /** Steps from the one value to the other; 0 or fewer hold `initValue` for ever. */
  readonly transitionSteps: number
  /** The step at which the change begins; a negative one counts as 0. Default 0. */
  readonly transitionBegin?: number
}

/** The names of `LinearOptions`. */
const linearNames: OptionTable<LinearOptions> = {
  initValue: 'required',
  endValue: 'required',
  transitionSteps: 'required',
  transitionBegin: 'optional',
}

/** `LinearOptions`, and the power. */
export interface PolynomialOptions extends LinearOptions {
  /** Not negative; with 0 the value stays `initValue` for ever, as 0^0 is 1. */
  readonly power: number
}

/** The names of `PolynomialOptions`. */
const polynomialNames: OptionTable<PolynomialOptions> = {
  ...linearNames,
  power: 'required',
}

/**
 * From one value to another along a power of the part that is left.
 * With x = clip(step - transitionBegin, 0, transitionSteps):
 * (initValue - endValue) (1 - x / transitionSteps)^power + endValue. Both ends are exact.
 *
 * Error     4 ulp of float64 of the largest of the two values and their difference, power 1 or 2.
 * Source    optax 0.2.8, polynomial_schedule
 *
 * @example polynomialSchedule({ initValue: 1, endValue: 0, power: 2, transitionSteps: 4 })(2) // 0.25
 */
export function polynomialSchedule(options: PolynomialOptions): Schedule {
  checkOptions('polynomialSchedule', options, polynomialNames)
  return polynomial('polynomialSchedule', options)
}

/**
 * From one value to another along a line: `polynomialSchedule` with power 1.
 *
 * Source    optax 0.2.8, linear_schedule
 *
 * @example const rate = linearSchedule({ initValue: 1, endValue: 0, transitionSteps: 4, transitionBegin: 2 })
 * [0, 2, 3, 6, 1e9].map(rate) // [1, 1, 0.75, 0, 0]
 * rate(-1) // throws linearSchedule: step is not a finite number, 0 or more [-1]
 */
export function linearSchedule(options: LinearOptions): Schedule {
  checkOptions('linearSchedule', options, linearNames)
  return polynomial('linearSchedule', { ...options, power: 1 })
}

function polynomial(op: string, options: PolynomialOptions): Schedule {
  const { initValue, endValue, power, transitionSteps, transitionBegin = 0 } = options
  checkFinite(op, { initValue, endValue, transitionSteps, transitionBegin })
  checkNotNegative(op, { power })
  const begin = Math.max(transitionBegin, 0)
  if (transitionSteps <= 0) return checked(op, () => initValue)
  return checked(op, (step) => {
    const x = Math.min(Math.max(step - begin, 0), transitionSteps)
    return blend(initValue, endValue, (1 - x / transitionSteps) ** power)
  })
}
