import {
  constantSchedule,
  cosineDecaySchedule,
  cosineOnecycleSchedule,
  doublingRestartsSchedule,
  exponentialDecay,
  inverseSqrtSchedule,
  joinSchedules,
  linearOnecycleSchedule,
  linearSchedule,
  piecewiseConstantSchedule,
  piecewiseInterpolateSchedule,
  polynomialSchedule,
  type Schedule,
  sgdrSchedule,
  warmupConstantSchedule,
  warmupCosineDecaySchedule,
  warmupExponentialDecaySchedule,
  wsdSchedule,
} from 'tpu-toolkit/schedule'
import { literal } from '../../parts/literal.js'
import type { OptimizersValues } from './optimizersState.js'
import type { ScheduleName } from './scheduleNames.js'

/** A schedule as it stands: what makes it, and the expression that does so. */
export interface ScheduleMade {
  readonly make: () => Schedule
  readonly code: string
}

/** A schedule of the library: the values that it takes, and what they give. */
export interface ScheduleKind {
  /** Names in the section's state; of a schedule that falls from its first value on, `peakValue` is that one. */
  readonly controls: readonly (keyof OptimizersValues)[]
  /** What the library calls the first value, where it is not `peakValue`. */
  readonly peakName?: string
  readonly of: (values: OptimizersValues) => ScheduleMade
}

type Controls = readonly (keyof OptimizersValues)[]

/** A schedule whose options are the section's values of the same names. */
function kind<Name extends keyof OptimizersValues>(
  call: string,
  make: (options: Pick<OptimizersValues, Name>) => Schedule,
  ...names: readonly Name[]
): ScheduleKind {
  return {
    controls: names,
    of: (values) => made(call, make, picked(values, names)),
  }
}

function picked<Name extends keyof OptimizersValues>(
  values: OptimizersValues,
  names: readonly Name[],
): Pick<OptimizersValues, Name> {
  // Object.fromEntries forgets which name has which type.
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<OptimizersValues, Name>
}

/** One that begins at its highest value, which the library calls `initValue`. */
function falling<Options extends object>(
  call: string,
  make: (options: Options) => Schedule,
  controls: Controls,
  options: (values: OptimizersValues) => Options,
): ScheduleKind {
  return {
    controls: ['peakValue', ...controls],
    peakName: 'initValue',
    of: (values) => made(call, make, options(values)),
  }
}

function made<Options extends object>(
  call: string,
  make: (options: Options) => Schedule,
  options: Options,
): ScheduleMade {
  return { make: () => make(options), code: `${call}(${literal(options)})` }
}

/** What an end of 0 says to an exponential is nothing: it would hold one that grows at 0. */
const heldAt = (endValue: number): { endValue?: number } => (endValue > 0 ? { endValue } : {})

/** How each is made of the section's values. */
export const scheduleKinds: Readonly<Record<ScheduleName, ScheduleKind>> = {
  constantSchedule: {
    controls: ['peakValue'],
    peakName: 'value',
    of: ({ peakValue }) => ({
      make: () => constantSchedule(peakValue),
      code: `constantSchedule(${peakValue})`,
    }),
  },
  linearSchedule: falling(
    'linearSchedule',
    linearSchedule,
    ['endValue', 'transitionSteps', 'transitionBegin'],
    ({ peakValue: initValue, endValue, transitionSteps, transitionBegin }) => ({
      ...{ initValue, endValue, transitionSteps, transitionBegin },
    }),
  ),
  polynomialSchedule: falling(
    'polynomialSchedule',
    polynomialSchedule,
    ['endValue', 'power', 'transitionSteps', 'transitionBegin'],
    ({ peakValue: initValue, endValue, power, transitionSteps, transitionBegin }) => ({
      ...{ initValue, endValue, power, transitionSteps, transitionBegin },
    }),
  ),
  cosineDecaySchedule: falling(
    'cosineDecaySchedule',
    cosineDecaySchedule,
    ['decaySteps', 'alpha', 'exponent'],
    ({ peakValue: initValue, decaySteps, alpha, exponent }) => ({ initValue, decaySteps, alpha, exponent }),
  ),
  exponentialDecay: falling(
    'exponentialDecay',
    exponentialDecay,
    ['decayRate', 'transitionSteps', 'transitionBegin', 'staircase', 'endValue'],
    ({ peakValue: initValue, decayRate, transitionSteps, transitionBegin, staircase, endValue }) => ({
      ...{ initValue, decayRate, transitionSteps, transitionBegin, staircase, ...heldAt(endValue) },
    }),
  ),
  warmupConstantSchedule: kind(
    'warmupConstantSchedule',
    warmupConstantSchedule,
    'initValue',
    'peakValue',
    'warmupSteps',
  ),
  warmupCosineDecaySchedule: kind(
    'warmupCosineDecaySchedule',
    warmupCosineDecaySchedule,
    'initValue',
    'peakValue',
    'endValue',
    'warmupSteps',
    'decaySteps',
    'exponent',
  ),
  warmupExponentialDecaySchedule: {
    controls: [
      ...(['initValue', 'peakValue', 'warmupSteps', 'decayRate', 'transitionSteps'] as const),
      ...(['transitionBegin', 'staircase', 'endValue'] as const),
    ],
    of: ({ endValue, initValue, peakValue, warmupSteps, ...rest }) => {
      const { decayRate, transitionSteps, transitionBegin, staircase } = rest
      return made('warmupExponentialDecaySchedule', warmupExponentialDecaySchedule, {
        ...{ initValue, peakValue, warmupSteps, decayRate, transitionSteps, transitionBegin, staircase },
        ...heldAt(endValue),
      })
    },
  },
  inverseSqrtSchedule: kind(
    'inverseSqrtSchedule',
    inverseSqrtSchedule,
    'initValue',
    'peakValue',
    'warmupSteps',
    'timescale',
  ),
  wsdSchedule: kind(
    'wsdSchedule',
    wsdSchedule,
    'initValue',
    'peakValue',
    'endValue',
    'warmupSteps',
    'stableSteps',
    'decaySteps',
    'decayShape',
  ),
  piecewiseConstantSchedule: falling(
    'piecewiseConstantSchedule',
    piecewiseConstantSchedule,
    ['boundaries'],
    ({ peakValue: initValue, boundaries }) => ({
      initValue,
      boundariesAndScales: readBoundaries(boundaries),
    }),
  ),
  piecewiseInterpolateSchedule: falling(
    'piecewiseInterpolateSchedule',
    piecewiseInterpolateSchedule,
    ['interpolateType', 'boundaries'],
    ({ peakValue: initValue, interpolateType, boundaries }) => ({
      ...{ initValue, interpolateType, boundariesAndScales: readBoundaries(boundaries) },
    }),
  ),
  linearOnecycleSchedule: kind(
    'linearOnecycleSchedule',
    linearOnecycleSchedule,
    'transitionSteps',
    'peakValue',
    'pctStart',
    'pctFinal',
    'divFactor',
    'finalDivFactor',
  ),
  cosineOnecycleSchedule: kind(
    'cosineOnecycleSchedule',
    cosineOnecycleSchedule,
    'transitionSteps',
    'peakValue',
    'pctStart',
    'divFactor',
    'finalDivFactor',
  ),
  joinSchedules: {
    controls: [
      ...(['initValue', 'peakValue', 'warmupSteps', 'stableSteps', 'decayRate'] as const),
      'transitionSteps',
    ],
    of: ({ initValue, peakValue, warmupSteps, stableSteps, decayRate, transitionSteps }) => {
      const up = { initValue, endValue: peakValue, transitionSteps: warmupSteps }
      const down = { initValue: peakValue, transitionSteps, decayRate }
      const boundaries = [warmupSteps, warmupSteps + stableSteps]
      return {
        make: () =>
          joinSchedules(
            [linearSchedule(up), constantSchedule(peakValue), exponentialDecay(down)],
            boundaries,
          ),
        code: `joinSchedules([
  linearSchedule(${literal(up)}),
  constantSchedule(${peakValue}),
  exponentialDecay(${literal(down)}),
], ${literal(boundaries)})`,
      }
    },
  },
  sgdrSchedule: {
    controls: [
      ...(['initValue', 'peakValue', 'endValue', 'warmupSteps', 'cycles', 'firstCycle'] as const),
      ...(['cycleMult', 'peakMult'] as const),
    ],
    of: ({ initValue, peakValue, endValue, warmupSteps, cycles, firstCycle, cycleMult, peakMult }) => {
      const all = Array.from({ length: cycles }, (_, i) => ({
        ...{ initValue: i === 0 ? initValue : endValue, peakValue: peakValue * peakMult ** i, endValue },
        warmupSteps: i === 0 ? warmupSteps : 0,
        decaySteps: Math.round(firstCycle * cycleMult ** i) + (i === 0 ? warmupSteps : 0),
      }))
      return {
        make: () => sgdrSchedule(all),
        code: `sgdrSchedule([\n${all.map((cycle) => `  ${literal(cycle)},\n`).join('')}])`,
      }
    },
  },
  doublingRestartsSchedule: kind(
    'doublingRestartsSchedule',
    doublingRestartsSchedule,
    'initValue',
    'peakValue',
    'endValue',
    'warmupSteps',
    'totalSteps',
    'cycles',
    'remainder',
  ),
}

/** `300: 0.5, 600: 0.2` as steps and what the rate is multiplied by from there on. */
function readBoundaries(typed: string): Readonly<Record<number, number>> {
  const pairs = typed.split(/[,;\n]/).filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [step = '', scale = ''] = pair.split(':').map((part) => part.trim())
      if (step === '' || scale === '') {
        throw new RangeError(`boundaries: not a step and a scale as in 300: 0.5 [${pair.trim()}]`)
      }
      return [step, Number(scale)]
    }),
  )
}
