import * as schedules from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'

const {
  cosineDecaySchedule,
  cosineOnecycleSchedule,
  exponentialDecay,
  inverseSqrtSchedule,
  linearOnecycleSchedule,
  linearSchedule,
  piecewiseConstantSchedule,
  polynomialSchedule,
  warmupConstantSchedule,
  warmupCosineDecaySchedule,
  warmupExponentialDecaySchedule,
  wsdSchedule,
} = schedules

describe('step 0, the last step and steps past the end', () => {
  const ends: readonly [string, schedules.Schedule, number, number, number][] = [
    ['linearSchedule', linearSchedule({ initValue: 0.1, endValue: 0.5, transitionSteps: 7 }), 7, 0.1, 0.5],
    [
      'polynomialSchedule',
      polynomialSchedule({ initValue: 0.1, endValue: 0.7, power: 1.7, transitionSteps: 9 }),
      9,
      0.1,
      0.7,
    ],
    [
      'cosineDecaySchedule',
      cosineDecaySchedule({ initValue: 0.3, decaySteps: 7, alpha: 0.1 }),
      7,
      0.3,
      0.3 * 0.1,
    ],
    [
      'warmupCosineDecaySchedule',
      warmupCosineDecaySchedule({
        initValue: 0.1,
        peakValue: 0.3,
        warmupSteps: 3,
        decaySteps: 10,
        endValue: 0.07,
      }),
      10,
      0.1,
      0.07,
    ],
    [
      'wsdSchedule',
      wsdSchedule({
        initValue: 0.1,
        peakValue: 0.3,
        endValue: 0.07,
        warmupSteps: 3,
        stableSteps: 4,
        decaySteps: 6,
      }),
      13,
      0.1,
      0.07,
    ],
    [
      'warmupConstantSchedule',
      warmupConstantSchedule({ initValue: 0.1, peakValue: 0.3, warmupSteps: 3 }),
      3,
      0.1,
      0.3,
    ],
  ]
  it.each(ends)('%s is exact at both ends and holds the last', (_, rate, last, first, end) => {
    expect(rate(0)).toBe(first)
    expect([last, last + 1, last + 0.5, 1e15, Number.MAX_VALUE].map(rate)).toEqual(Array(5).fill(end))
  })
})

describe('cosineDecaySchedule near its end', () => {
  // (1 + cos(pi q)) / 2 = sin(x)^2 = x^2 - x^4 / 3 + ..., x = pi (1 - q) / 2; the next term is below 2^-53 of it here.
  // A handful of roundings on either side; step / decaySteps has none, the steps being a power of two.
  it.each([2, 7, 100])('cosineDecaySchedule keeps its relative accuracy %i steps before 2^20', (left) => {
    const x = (Math.PI * left) / 2 ** 21
    const value = cosineDecaySchedule({ initValue: 1, decaySteps: 2 ** 20 })(2 ** 20 - left)
    expect(Math.abs(value / (x * x * (1 - (x * x) / 3)) - 1)).toBeLessThanOrEqual(8 * 2 ** -53)
  })
})

describe('what optax does at the edges', () => {
  it('linearSchedule of 0 or fewer steps holds initValue, not endValue', () => {
    for (const transitionSteps of [0, -3]) {
      expect(linearSchedule({ initValue: 1, endValue: 2, transitionSteps })(100)).toBe(1)
    }
  })
  it('warmupConstantSchedule of no steps holds initValue', () =>
    expect(warmupConstantSchedule({ initValue: 1, peakValue: 2, warmupSteps: 0 })(100)).toBe(1))
  it('a negative transitionBegin counts as 0', () => {
    const line = { initValue: 1, endValue: 0, transitionSteps: 4, transitionBegin: -2 }
    expect([0, 1].map(linearSchedule(line))).toEqual([1, 0.75])
    expect(
      exponentialDecay({ initValue: 1, transitionSteps: 1, decayRate: 0.5, transitionBegin: -2 })(1),
    ).toBe(0.5)
  })
  it('polynomialSchedule of power 0 holds initValue, as 0^0 is 1', () =>
    expect(polynomialSchedule({ initValue: 1, endValue: 0, power: 0, transitionSteps: 4 })(9)).toBe(1))
  it('cosineDecaySchedule of one step goes from the first value to the last', () =>
    expect([0, 1, 2].map(cosineDecaySchedule({ initValue: 1, decaySteps: 1 }))).toEqual([1, 0, 0]))
  it('exponentialDecay holds at a floor below rate 1, at a ceiling from it on, at step 0 too; null is none', () => {
    const floor = exponentialDecay({ initValue: 1, transitionSteps: 1, decayRate: 0.5, endValue: 2 })
    const ceiling = exponentialDecay({ initValue: 3, transitionSteps: 1, decayRate: 2, endValue: 2 })
    expect([floor(0), ceiling(0), ceiling(5)]).toEqual([2, 2, 2])
    expect(exponentialDecay({ initValue: 1, transitionSteps: 1, decayRate: 0.5, endValue: null })(3)).toBe(
      0.125,
    )
  })
  it('warmupCosineDecaySchedule without a warm-up starts at the peak, and ignores endValue at a peak of 0', () => {
    const options = { initValue: 0, warmupSteps: 0, decaySteps: 10, endValue: 0.5 }
    expect(warmupCosineDecaySchedule({ ...options, peakValue: 1 })(0)).toBe(1)
    expect(warmupCosineDecaySchedule({ ...options, peakValue: 0 })(10)).toBe(0)
  })
  it('warmupExponentialDecaySchedule counts transitionBegin from the end of the warm-up', () => {
    const options = { initValue: 0, peakValue: 1, warmupSteps: 4, transitionSteps: 1, decayRate: 0.5 }
    expect([4, 7, 8].map(warmupExponentialDecaySchedule({ ...options, transitionBegin: 3 }))).toEqual([
      1, 1, 0.5,
    ])
  })
  it('piecewiseConstantSchedule sorts its boundaries by number, and may begin with one at 0', () => {
    const rate = piecewiseConstantSchedule({
      initValue: 1,
      boundariesAndScales: { 100: 0.5, 9: 3, 0: 2, 10.5: 0.25 },
    })
    expect([0, 8, 9, 10, 10.5, 99, 100].map(rate)).toEqual([2, 2, 6, 6, 1.5, 1.5, 0.75])
  })
  it('one-cycle schedules of very few steps lose the phases whose turning points coincide', () => {
    const cycle = { peakValue: 1, divFactor: 4, finalDivFactor: 2 }
    expect([0, 1, 2].map(linearOnecycleSchedule({ ...cycle, transitionSteps: 2 }))).toEqual([1, 0.25, 0.125])
    expect([0, 3].map(cosineOnecycleSchedule({ ...cycle, transitionSteps: 3 }))).toEqual([1, 0.125])
    expect([0, 1].map(linearOnecycleSchedule({ ...cycle, transitionSteps: 1 }))).toEqual([0.0625, 0.03125])
  })
  it('a step may be a fraction', () =>
    expect(linearSchedule({ initValue: 0, endValue: 1, transitionSteps: 2 })(0.5)).toBe(0.25))
})

describe('inverseSqrtSchedule', () => {
  it('inverseSqrtSchedule is the Transformer: d^-1/2 min(t^-1/2, t w^-3/2), d = 512, w = 4000', () => {
    const rate = inverseSqrtSchedule({ peakValue: (512 * 4000) ** -0.5, warmupSteps: 4000 })
    for (const t of [1, 17, 3999, 4000, 4001, 100_000]) {
      const published = 512 ** -0.5 * Math.min(t ** -0.5, t * 4000 ** -1.5)
      // A handful of operations on either side, none of a number above the peak.
      expect(Math.abs(rate(t) - published)).toBeLessThanOrEqual(8 * 2 ** -53 * rate(4000))
    }
  })
  it('inverseSqrtSchedule halves the peak 3 timescales after the warm-up, which it may lack', () => {
    const rate = inverseSqrtSchedule({ initValue: 9, peakValue: 1, warmupSteps: 0, timescale: 100 })
    expect([0, 300, 1500].map(rate)).toEqual([1, 0.5, 0.25])
  })
})

describe('wsdSchedule', () => {
  const options = { peakValue: 1, endValue: 0.5, warmupSteps: 4, stableSteps: 10, decaySteps: 4 }
  it.each([
    ['linear', [1, 0.875, 0.75, 0.625, 0.5]],
    ['cosine', [1, 0.5 + (2 + Math.SQRT2) / 8, 0.75, 0.5 + (2 - Math.SQRT2) / 8, 0.5]],
    ['1-sqrt', [1, 0.75, 1 - Math.SQRT1_2 / 2, 1 - Math.sqrt(0.75) / 2, 0.5]],
  ] as const)('wsdSchedule holds its peak, then decays by %s', (decayShape, decay) => {
    const rate = wsdSchedule({ ...options, decayShape })
    expect([0, 1, 2, 4, 9, 14].map(rate)).toEqual([0, 0.25, 0.5, 1, 1, 1])
    decay.forEach((value, i) => {
      expect(Math.abs(rate(14 + i) - value)).toBeLessThanOrEqual(4 * 2 ** -53)
    })
  })
})
