import * as schedules from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'

const line = { initValue: 0, endValue: 1, transitionSteps: 10 }
const ramp = { initValue: 0, peakValue: 1, warmupSteps: 10 }
const warm = { ...ramp, decaySteps: 100 }
const exponential = { initValue: 1, transitionSteps: 10, decayRate: 0.5 }
const cycle = { transitionSteps: 100, peakValue: 1 }
const knots = { initValue: 1, boundariesAndScales: { 10: 0.5 } }
const restarts = { peakValue: 1, warmupSteps: 10, totalSteps: 100, cycles: 3 }
const wsd = { peakValue: 1, warmupSteps: 10, stableSteps: 80, decaySteps: 10 }
const one = schedules.constantSchedule(1)

const all: Readonly<Record<string, schedules.Schedule>> = {
  constantSchedule: one,
  linearSchedule: schedules.linearSchedule(line),
  polynomialSchedule: schedules.polynomialSchedule({ ...line, power: 2 }),
  cosineDecaySchedule: schedules.cosineDecaySchedule({ initValue: 1, decaySteps: 10 }),
  exponentialDecay: schedules.exponentialDecay(exponential),
  warmupConstantSchedule: schedules.warmupConstantSchedule(ramp),
  warmupCosineDecaySchedule: schedules.warmupCosineDecaySchedule(warm),
  warmupExponentialDecaySchedule: schedules.warmupExponentialDecaySchedule({ ...ramp, ...exponential }),
  piecewiseConstantSchedule: schedules.piecewiseConstantSchedule(knots),
  piecewiseInterpolateSchedule: schedules.piecewiseInterpolateSchedule({
    ...knots,
    interpolateType: 'linear',
  }),
  linearOnecycleSchedule: schedules.linearOnecycleSchedule(cycle),
  cosineOnecycleSchedule: schedules.cosineOnecycleSchedule(cycle),
  joinSchedules: schedules.joinSchedules([one, one], [5]),
  sgdrSchedule: schedules.sgdrSchedule([warm]),
  doublingRestartsSchedule: schedules.doublingRestartsSchedule(restarts),
  inverseSqrtSchedule: schedules.inverseSqrtSchedule(ramp),
  wsdSchedule: schedules.wsdSchedule(wsd),
}

describe('a schedule', () => {
  it('every schedule of the door is in this list', () => {
    const made = Object.keys(schedules).filter((name) => name !== 'doublingPeriods')
    expect(Object.keys(all).sort()).toEqual(made.sort())
  })
  it.each(Object.entries(all))(
    '%s refuses a step that is negative or not finite, by its own name',
    (op, rate) => {
      for (const step of [-1, -1e-9, Number.NaN, Infinity]) {
        expect(() => rate(step)).toThrow(
          new RangeError(`${op}: step is not a finite number, 0 or more [${step}]`),
        )
      }
      expect(rate(-0)).toBe(rate(0))
    },
  )
  it.each(Object.entries(all))('%s is finite at every step, far ones included', (_, rate) => {
    for (const step of [0, 1, 9.5, 10, 99, 100, 101, 1e9, Number.MAX_SAFE_INTEGER]) {
      expect(Number.isFinite(rate(step))).toBe(true)
    }
  })
})

describe('hyperparameters', () => {
  const makers: readonly [string, (options: never) => schedules.Schedule, object][] = [
    ['constantSchedule', schedules.constantSchedule, { value: 1 }],
    ['linearSchedule', schedules.linearSchedule, { ...line, transitionBegin: 1 }],
    ['polynomialSchedule', schedules.polynomialSchedule, { ...line, power: 2, transitionBegin: 1 }],
    [
      'cosineDecaySchedule',
      schedules.cosineDecaySchedule,
      { initValue: 1, decaySteps: 1, alpha: 0, exponent: 1 },
    ],
    ['exponentialDecay', schedules.exponentialDecay, { ...exponential, transitionBegin: 1, endValue: 0.1 }],
    [
      'warmupConstantSchedule',
      schedules.warmupConstantSchedule,
      { initValue: 0, peakValue: 1, warmupSteps: 2 },
    ],
    ['warmupCosineDecaySchedule', schedules.warmupCosineDecaySchedule, { ...warm, endValue: 0, exponent: 1 }],
    ['linearOnecycleSchedule', schedules.linearOnecycleSchedule, { ...cycle, pctStart: 0.2, pctFinal: 0.9 }],
    [
      'cosineOnecycleSchedule',
      schedules.cosineOnecycleSchedule,
      { ...cycle, divFactor: 2, finalDivFactor: 2 },
    ],
    [
      'doublingRestartsSchedule',
      schedules.doublingRestartsSchedule,
      { ...restarts, initValue: 0, endValue: 0 },
    ],
    ['inverseSqrtSchedule', schedules.inverseSqrtSchedule, { peakValue: 1, warmupSteps: 1, timescale: 3 }],
    ['wsdSchedule', schedules.wsdSchedule, { ...wsd, initValue: 0, endValue: 0 }],
  ]
  it.each(makers)('%s refuses NaN in any of them, and names it', (op, make, options) => {
    expect(() => make(options as never)).not.toThrow()
    for (const name of Object.keys(options)) {
      expect(() => make({ ...options, [name]: Number.NaN } as never)).toThrow(
        new RegExp(`^${op}: ${name} is not .* \\[NaN\\]$`),
      )
    }
  })

  const refused: readonly [string, () => unknown][] = [
    [
      'cosineDecaySchedule: decaySteps is not a finite number above 0 [0]',
      () => schedules.cosineDecaySchedule({ initValue: 1, decaySteps: 0 }),
    ],
    [
      'cosineDecaySchedule: exponent is not a finite number, 0 or more [-1]',
      () => schedules.cosineDecaySchedule({ initValue: 1, decaySteps: 1, exponent: -1 }),
    ],
    [
      'polynomialSchedule: power is not a finite number, 0 or more [-1]',
      () => schedules.polynomialSchedule({ ...line, power: -1 }),
    ],
    [
      'exponentialDecay: decayRate is not a finite number, 0 or more [-0.5]',
      () => schedules.exponentialDecay({ ...exponential, decayRate: -0.5 }),
    ],
    [
      'warmupCosineDecaySchedule: warmupSteps is not a finite number, 0 or more [-1]',
      () => schedules.warmupCosineDecaySchedule({ ...warm, warmupSteps: -1 }),
    ],
    [
      'warmupCosineDecaySchedule: decaySteps, warm-up included, is not above warmupSteps [10 and 10]',
      () => schedules.warmupCosineDecaySchedule({ ...warm, decaySteps: 10 }),
    ],
    [
      'warmupExponentialDecaySchedule: peakValue is not a finite number [Infinity]',
      () => schedules.warmupExponentialDecaySchedule({ ...ramp, ...exponential, peakValue: Infinity }),
    ],
    [
      'piecewiseConstantSchedule: the scale at 10 is not a finite number, 0 or more [-2]',
      () => schedules.piecewiseConstantSchedule({ initValue: 1, boundariesAndScales: { 10: -2 } }),
    ],
    [
      'piecewiseConstantSchedule: a boundary is not a finite number, 0 or more [-1]',
      () => schedules.piecewiseConstantSchedule({ initValue: 1, boundariesAndScales: { [-1]: 2 } }),
    ],
    [
      'piecewiseConstantSchedule: a boundary is not a finite number, 0 or more [soon]',
      () => schedules.piecewiseConstantSchedule({ initValue: 1, boundariesAndScales: { soon: 2 } as never }),
    ],
    [
      'piecewiseConstantSchedule: the value from 10 on is not a finite number [Infinity]',
      () => schedules.piecewiseConstantSchedule({ initValue: 1e308, boundariesAndScales: { 10: 10 } }),
    ],
    [
      'piecewiseInterpolateSchedule: unknown interpolateType, did you mean linear [linar]',
      () => schedules.piecewiseInterpolateSchedule({ ...knots, interpolateType: 'linar' as never }),
    ],
    [
      'linearOnecycleSchedule: transitionSteps is not a finite number above 0 [0]',
      () => schedules.linearOnecycleSchedule({ ...cycle, transitionSteps: 0 }),
    ],
    [
      'linearOnecycleSchedule: pctFinal is not a number from pctStart, 0.3, to 1 [0.2]',
      () => schedules.linearOnecycleSchedule({ ...cycle, pctFinal: 0.2 }),
    ],
    [
      'cosineOnecycleSchedule: pctStart is not a number from 0 to 1 [1.5]',
      () => schedules.cosineOnecycleSchedule({ ...cycle, pctStart: 1.5 }),
    ],
    ['joinSchedules: needs at least one schedule [0]', () => schedules.joinSchedules([], [])],
    [
      'joinSchedules: boundaries are not one fewer than schedules [2 and 2]',
      () => schedules.joinSchedules([one, one], [1, 2]),
    ],
    ['joinSchedules: boundaries descend [5, 3]', () => schedules.joinSchedules([one, one, one], [5, 3])],
    [
      'joinSchedules: boundaries[1] is not a finite number, 0 or more [NaN]',
      () => schedules.joinSchedules([one, one, one], [5, Number.NaN]),
    ],
    ['sgdrSchedule: needs at least one cycle [0]', () => schedules.sgdrSchedule([])],
    [
      'sgdrSchedule: cycle 1: decaySteps, warm-up included, is not above warmupSteps [5 and 10]',
      () => schedules.sgdrSchedule([warm, { ...warm, decaySteps: 5 }]),
    ],
    [
      'doublingRestartsSchedule: 3 cycles need at least 7 steps after the warm-up [6]',
      () => schedules.doublingRestartsSchedule({ ...restarts, totalSteps: 16 }),
    ],
    [
      'doublingRestartsSchedule: 3 cycles need at least 7 steps after the warm-up [-5]',
      () => schedules.doublingRestartsSchedule({ ...restarts, totalSteps: 5 }),
    ],
    [
      'doublingRestartsSchedule: cycles is not a whole number, 1 or more [0]',
      () => schedules.doublingRestartsSchedule({ ...restarts, cycles: 0 }),
    ],
    [
      'doublingRestartsSchedule: warmupSteps is not a whole number, 0 or more [1.5]',
      () => schedules.doublingRestartsSchedule({ ...restarts, warmupSteps: 1.5 }),
    ],
    [
      'doublingRestartsSchedule: unknown remainder, there are last-cycle, drop [floor]',
      () => schedules.doublingRestartsSchedule({ ...restarts, remainder: 'floor' as never }),
    ],
    [
      'doublingPeriods: option totalSteps is missing [warmupSteps, cycles]',
      () => schedules.doublingPeriods({ warmupSteps: 0, cycles: 1 } as never),
    ],
    [
      'inverseSqrtSchedule: timescale is not a finite number above 0 [0]',
      () => schedules.inverseSqrtSchedule({ peakValue: 1, warmupSteps: 0 }),
    ],
    [
      'wsdSchedule: stableSteps is not a finite number, 0 or more [-1]',
      () => schedules.wsdSchedule({ ...wsd, stableSteps: -1 }),
    ],
    [
      'wsdSchedule: unknown decayShape, there are linear, cosine, 1-sqrt [toString]',
      () => schedules.wsdSchedule({ ...wsd, decayShape: 'toString' as never }),
    ],
  ]
  it.each(refused)('%s', (message, make) => expect(make).toThrow(new RangeError(message)))
})
