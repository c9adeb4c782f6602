import { checkOptions, type OptionTable } from '../base/options/index.js'
import { checkFinite, checkNotNegative } from './checkNumbers.js'
import { checked, type Schedule } from './schedule.js'

/** Initial value, decay factor, and how often it is applied. */
export interface ExponentialDecayOptions {
  readonly initValue: number
  /** Steps in which the value is multiplied once; 0 or fewer hold `initValue` for ever. */
  readonly transitionSteps: number
  /** The factor, not negative; 0 holds `initValue` for ever. */
  readonly decayRate: number
  /** The step at which the decay begins; a negative one counts as 0. Default 0. */
  readonly transitionBegin?: number
  /** Multiply at whole transitions only. Default false. */
  readonly staircase?: boolean
  /** A floor where `decayRate` is below 1, a ceiling otherwise, from step 0 on. Default (also null) none. */
  readonly endValue?: number | null
}

/** The names of `ExponentialDecayOptions`. */
export const exponentialNames: OptionTable<ExponentialDecayOptions> = {
  initValue: 'required',
  transitionSteps: 'required',
  decayRate: 'required',
  transitionBegin: 'optional',
  staircase: 'optional',
  endValue: 'optional',
}

/**
 * A constant factor per `transitionSteps`.
 * With p = (step - transitionBegin) / transitionSteps, rounded down with `staircase`: initValue decayRate^p after
 * `transitionBegin`, initValue until then.
 *
 * Special   a growing rate ends at Infinity unless `endValue` holds it.
 * Error     relative, 3 ulp of float64 plus that of the engine's power.
 * Source    optax 0.2.8, exponential_decay
 *
 * @example const rate = exponentialDecay({ initValue: 1, transitionSteps: 10, decayRate: 0.5, staircase: true, endValue: 0.2 })
 * [0, 9, 10, 29, 30].map(rate) // [1, 1, 0.5, 0.25, 0.2]
 */
export function exponentialDecay(options: ExponentialDecayOptions): Schedule {
  checkOptions('exponentialDecay', options, exponentialNames)
  return exponential('exponentialDecay', options)
}

/** The same function, under another name in its errors. */
export function exponential(op: string, options: ExponentialDecayOptions): Schedule {
  const { initValue, transitionSteps, decayRate, transitionBegin = 0, staircase = false } = options
  checkFinite(op, { initValue, transitionSteps, transitionBegin })
  checkNotNegative(op, { decayRate })
  const endValue = options.endValue ?? undefined
  if (endValue !== undefined) checkFinite(op, { endValue })
  if (transitionSteps <= 0 || decayRate === 0) return checked(op, () => initValue)

  const begin = Math.max(transitionBegin, 0)
  const held = decayRate < 1 ? Math.max : Math.min
  return checked(op, (step) => {
    const p = Math.max(step - begin, 0) / transitionSteps
    const value = initValue * decayRate ** (staircase ? Math.floor(p) : p)
    return endValue === undefined ? value : held(value, endValue)
  })
}
