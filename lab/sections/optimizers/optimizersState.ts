import type { Signal } from '@preact/signals'
import type { WsdShape } from 'tpu-toolkit/schedule'
import { flag, numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import { storedDTypes, storedOptimizers } from './optimizersMessages.js'
import { scheduleNames } from './scheduleNames.js'

export const rateDTypes = ['bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn', 'float32'] as const
export const wsdShapes: readonly WsdShape[] = ['linear', 'cosine', '1-sqrt']
export const interpolations = ['linear', 'cosine'] as const
export const remainders = ['last-cycle', 'drop'] as const

/** The most steps that are drawn. */
export const mostSteps = 10_000
const count = (initial: number) => numberFrom(0, mostSteps, initial, 1)

/** What the section shows: a schedule by its own options, a training with stored parameters, and widths. */
export const state = sectionState('optimizers', {
  schedule: oneOf(scheduleNames, 'warmupCosineDecaySchedule'),
  drawn: numberFrom(10, mostSteps, 1000, 1),
  rounded: oneOf(rateDTypes, 'bfloat16'),
  log: flag(false),
  initValue: numberFrom(0, 100, 0),
  peakValue: numberFrom(0, 100, 3e-4),
  endValue: numberFrom(0, 100, 0),
  warmupSteps: count(100),
  stableSteps: count(600),
  decaySteps: count(1000),
  transitionSteps: count(1000),
  transitionBegin: count(0),
  timescale: count(100),
  power: numberFrom(0, 10, 2),
  alpha: numberFrom(0, 1, 0),
  exponent: numberFrom(0, 10, 1),
  decayRate: numberFrom(0, 2, 0.1),
  staircase: flag(false),
  decayShape: oneOf(wsdShapes, 'linear'),
  boundaries: text('300: 0.5, 600: 0.2', 400),
  interpolateType: oneOf(interpolations, 'linear'),
  pctStart: numberFrom(0, 1, 0.3),
  pctFinal: numberFrom(0, 1, 0.85),
  divFactor: numberFrom(1, 1e6, 25),
  finalDivFactor: numberFrom(1, 1e6, 1e4),
  cycles: numberFrom(1, 12, 3, 1),
  firstCycle: count(150),
  cycleMult: numberFrom(1, 4, 2),
  peakMult: numberFrom(0.1, 1, 1),
  totalSteps: count(1000),
  remainder: oneOf(remainders, 'last-cycle'),
  optimizer: oneOf(storedOptimizers, 'adamw'),
  rate: numberFrom(1e-6, 1, 1e-3),
  stored: oneOf(storedDTypes, 'bfloat16'),
  trained: numberFrom(10, 1000, 300, 1),
  seed: numberFrom(0, 1e6, 1, 1),
  width: oneOf(['128', '256', '512'] as const, '256'),
  adamSteps: numberFrom(1, 10, 5, 1),
})

type Plain<S> = { readonly [name in keyof S]: S[name] extends Signal<infer T> ? T : never }

/** The values as they are now. */
export type OptimizersValues = Plain<typeof state>
