import * as schedules from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'

// The cases of optax 0.2.8's own tests, optax/schedules/_schedule_test.py and _join_test.py: arguments and the values
// expected there. Those that are written out as float32 results carry its tolerances of 1e-6 or 1e-8.

const steps = (n: number): number[] => Array.from({ length: n }, (_, step) => step)

function expectValues(actual: readonly number[], expected: readonly number[], relative = 1e-13): void {
  expect(actual.length).toBe(expected.length)
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(relative * Math.max(1, Math.abs(expected[i]!)))
  })
}

describe("optax's published tests", () => {
  it('constantSchedule(10) is 10', () =>
    expect(steps(15).map(schedules.constantSchedule(10))).toEqual(Array(15).fill(10)))

  it('polynomialSchedule of power 1, of power 2, and with a late begin', () => {
    const linear = { initValue: 10, endValue: 20, power: 1, transitionSteps: 10 }
    const ramp = steps(15).map((n) => 10 + Math.min(n, 10))
    expectValues(steps(15).map(schedules.polynomialSchedule(linear)), ramp)
    const square = { initValue: 25, endValue: 10, power: 2, transitionSteps: 10 }
    const bowl = steps(15).map((n) => 10 + 15 * (1 - Math.min(n, 10) / 10) ** 2)
    expectValues(steps(15).map(schedules.polynomialSchedule(square)), bowl)
    const late = { initValue: 30, endValue: 10, power: 2, transitionSteps: 10, transitionBegin: 4 }
    const held = steps(20).map((n) => 10 + 20 * (1 - Math.min(Math.max(n - 4, 0), 10) / 10) ** 2)
    expectValues(steps(20).map(schedules.polynomialSchedule(late)), held)
  })

  it.each([-1, 0])(
    'polynomialSchedule and exponentialDecay of %i steps hold their first value',
    (transitionSteps) => {
      const polynomial = { initValue: 10, endValue: 20, power: 1, transitionSteps }
      expect(steps(15).map(schedules.polynomialSchedule(polynomial))).toEqual(Array(15).fill(10))
      const exponential = { initValue: 1, transitionSteps, decayRate: 1 }
      expect(steps(15).map(schedules.exponentialDecay(exponential))).toEqual(Array(15).fill(1))
    },
  )

  it.each([0.1, -0.1])('piecewiseConstantSchedule from %d', (initValue) => {
    const options = { initValue, boundariesAndScales: { 3: 2, 6: 0.5 } }
    const expected = [1, 1, 1, 2, 2, 2, 1, 1, 1, 1].map((n) => n * initValue)
    expectValues(steps(10).map(schedules.piecewiseConstantSchedule(options)), expected)
  })

  describe.each([false, true])('exponentialDecay with staircase %s', (staircase) => {
    const power = (n: number, rate: number): number => rate ** (staircase ? Math.floor(n / 2) : n / 2)

    it('holds its value with decayRate 1 and 0', () => {
      for (const decayRate of [0, 1]) {
        const rate = schedules.exponentialDecay({ initValue: 1, transitionSteps: 2, decayRate, staircase })
        expect(steps(15).map(rate)).toEqual(Array(15).fill(1))
      }
    })
    it.each([0, 5])('doubles every two steps from step %i on', (transitionBegin) => {
      const options = { initValue: 1, transitionSteps: 2, decayRate: 2, transitionBegin, staircase }
      const expected = [...Array(transitionBegin).fill(1), ...steps(15).map((n) => power(n, 2))]
      expectValues(steps(15 + transitionBegin).map(schedules.exponentialDecay(options)), expected)
    })
    it.each([
      [0.2, 0.1],
      [1, 0.1],
      [2, 3],
    ])('of rate %d stops at %d', (decayRate, endValue) => {
      const options = { initValue: 1, transitionSteps: 2, decayRate, transitionBegin: 3, staircase, endValue }
      const stop = decayRate < 1 ? Math.max : Math.min
      const expected = [1, 1, 1, ...steps(11).map((n) => power(n, decayRate))].map((v) => stop(v, endValue))
      expectValues(steps(14).map(schedules.exponentialDecay(options)), expected)
    })
  })

  it('exponentialDecay halves exactly', () =>
    expect(
      steps(5).map(schedules.exponentialDecay({ initValue: 32, transitionSteps: 1, decayRate: 0.5 })),
    ).toEqual([32, 16, 8, 4, 2]))

  it.each([
    [10, 0],
    [5, 0],
    [5, 0.1],
  ])('cosineDecaySchedule of %i steps with alpha %d', (decaySteps, alpha) => {
    const rate = schedules.cosineDecaySchedule({ initValue: 0.1, decaySteps, alpha })
    const multipliers = steps(12).map((n) => 0.5 + 0.5 * Math.cos(Math.PI * Math.min(n / decaySteps, 1)))
    expectValues(
      steps(12).map(rate),
      multipliers.map((m) => 0.1 * ((1 - alpha) * m + alpha)),
    )
  })

  it('cosineDecaySchedule with an exponent, and over more steps than an int32 counts', () => {
    const rate = schedules.cosineDecaySchedule({ initValue: 0.1, decaySteps: 100, alpha: 0, exponent: 2 })
    expectValues(
      [0, 10, 50, 75, 100].map(rate),
      [0.1, 0.09516553580760956, 0.025, 0.0021446612663567066, 0],
      1e-8,
    )
    const giant = schedules.cosineDecaySchedule({ initValue: 1000, decaySteps: 1e10, alpha: 0, exponent: 1 })
    expectValues([giant(1e9)], [975.52826], 1e-7)
  })

  it.each([
    [10, 0.5, 1e-4],
    [5, 3, 0],
  ])('warmupCosineDecaySchedule from %d over %d to %d', (initValue, peakValue, endValue) => {
    const options = { initValue, peakValue, warmupSteps: 100, decaySteps: 1000, endValue }
    const rate = schedules.warmupCosineDecaySchedule(options)
    expect([rate(0), rate(100), rate(1000)]).toEqual([initValue, peakValue, endValue])
  })

  it('warmupCosineDecaySchedule with an exponent, and with a peak of 0', () => {
    const options = {
      initValue: 0.2,
      peakValue: 1.21,
      endValue: -3,
      warmupSteps: 50,
      decaySteps: 100,
      exponent: 2,
    }
    expectValues(
      [0, 10, 50, 75, 100].map(schedules.warmupCosineDecaySchedule(options)),
      [0.20000004768371582, 0.4020000100135803, 1.2100000381469727, -1.947500228881836, -3.000000238418579],
      1e-6,
    )
    const flat = schedules.warmupCosineDecaySchedule({ ...options, peakValue: 0 })
    expectValues([0, 10, 50, 75, 100].map(flat), [0.2, 0.16, 0, 0, 0])
  })

  it('warmupCosineDecaySchedule rises, falls, ends, and falls faster with an exponent', () => {
    const options = { initValue: 0, peakValue: 1, warmupSteps: 5, decaySteps: 25, endValue: 0.1 }
    const values = steps(26).map(schedules.warmupCosineDecaySchedule(options))
    const steep = steps(26).map(schedules.warmupCosineDecaySchedule({ ...options, exponent: 2 }))
    for (const t of steps(5)) expect(values[t]!).toBeLessThan(values[t + 1]!)
    for (const t of steps(20)) expect(values[t + 5]!).toBeGreaterThanOrEqual(values[t + 6]!)
    expect([values[5], values[25]]).toEqual([1, 0.1])
    for (const t of steps(21)) expect(steep[t + 5]!).toBeLessThanOrEqual(values[t + 5]!)
  })

  it.each([
    [1.6, 0.8, 0.4],
    [1.6, 1.6, 1.6],
  ])('sgdrSchedule has its peaks %d, %d and %d after the warm-ups', (...peaks) => {
    const cycles = [2000, 3000, 5000].map((decaySteps, i) => ({
      ...{ decaySteps, peakValue: peaks[i]! },
      ...{ initValue: 0, endValue: 0, warmupSteps: 500 },
    }))
    expect([500, 2500, 5500].map(schedules.sgdrSchedule(cycles))).toEqual(peaks)
  })

  it('piecewiseInterpolateSchedule by lines, by cosines, without boundaries, with one at 0', () => {
    const values = (
      interpolateType: 'linear' | 'cosine',
      initValue: number,
      boundariesAndScales?: Record<number, number>,
    ) => {
      const options = { interpolateType, initValue, ...(boundariesAndScales ? { boundariesAndScales } : {}) }
      return (n: number) => steps(n).map(schedules.piecewiseInterpolateSchedule(options))
    }
    expectValues(
      values('linear', 200, { 5: 1.5, 10: 0.25 })(13),
      [200, 220, 240, 260, 280, 300, 255, 210, 165, 120, 75, 75, 75],
    )
    expectValues(
      values('cosine', 400, { 5: 1.2, 3: 0.6, 7: 1 })(9),
      [400, 360, 280, 240, 264, 288, 288, 288, 288],
    )
    expect(values('linear', 13, {})(5)).toEqual(Array(5).fill(13))
    expect(values('cosine', 17)(3)).toEqual(Array(3).fill(17))
    const atZero = values('linear', 13, { 0: 2, 5: 3 })(6)
    expect([atZero[0], atZero[5]]).toEqual([26, 78])
  })

  it('joinSchedules of constants changes at its boundaries', () => {
    const parts = [1, 2, 1].map((value) => schedules.constantSchedule(value))
    expect(steps(7).map(schedules.joinSchedules(parts, [3, 6]))).toEqual([1, 1, 1, 2, 2, 2, 1])
  })

  it('linearOnecycleSchedule and cosineOnecycleSchedule', () => {
    const cycle = { peakValue: 1000, divFactor: 10, finalDivFactor: 100 }
    expectValues(
      steps(12).map(
        schedules.linearOnecycleSchedule({ ...cycle, transitionSteps: 10, pctStart: 0.3, pctFinal: 0.7 }),
      ),
      [100, 400, 700, 1000, 775, 550, 325, 100, 67, 34, 1, 1],
    )
    expectValues(
      steps(7).map(schedules.cosineOnecycleSchedule({ ...cycle, transitionSteps: 5, pctStart: 0.4 })),
      [100, 550, 1000, 750.25, 250.75, 1, 1],
    )
  })

  it('the examples of its docstrings, to the digits printed there', () => {
    const square = { initValue: 1, endValue: 0.01, transitionSteps: 100, transitionBegin: 5, power: 2 }
    const rate = schedules.polynomialSchedule(square)
    expect([0, 5, 6, 104, 105, 110].map((step) => rate(step).toFixed(4))).toEqual(
      '1.0000 1.0000 0.9803 0.0101 0.0100 0.0100'.split(' '),
    )
    const knots = { initValue: 1, boundariesAndScales: { 4: 0.1, 8: 0.01 } }
    const lines = schedules.piecewiseInterpolateSchedule({ interpolateType: 'linear', ...knots })
    expect([0, 2, 4, 6, 8, 10].map((step) => lines(step).toFixed(6))).toEqual(
      '1.000000 0.550000 0.100000 0.050500 0.001000 0.001000'.split(' '),
    )
  })
})
