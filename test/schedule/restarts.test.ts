import fc from 'fast-check'
import { doublingPeriods, doublingRestartsSchedule, sgdrSchedule } from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const drawn = fc
  .record({
    warmupSteps: fc.nat(60),
    cycles: fc.integer({ min: 1, max: 6 }),
    extra: fc.nat(400),
    endValue: fc.constantFrom(0, 3e-5, 0.25),
    initShare: fc.constantFrom(0, 0.5),
    remainder: fc.constantFrom('last-cycle' as const, 'drop' as const),
  })
  .map(({ extra, initShare, ...rest }) => ({
    ...rest,
    peakValue: 1,
    initValue: rest.endValue + initShare * (1 - rest.endValue),
    totalSteps: rest.warmupSteps + 2 ** rest.cycles - 1 + extra,
  }))

describe(`doublingRestartsSchedule (seed ${seed})`, () => {
  it('doublingRestartsSchedule begins every cycle at the peak, at the stated steps and nowhere else', () => {
    fc.assert(
      fc.property(drawn, (options) => {
        const rate = doublingRestartsSchedule(options)
        const starts = [options.warmupSteps]
        for (const length of doublingPeriods(options)) starts.push(starts.at(-1)! + length)
        const end = starts.pop()!
        for (let step = options.warmupSteps; step < end; step++) {
          expect(rate(step) === options.peakValue).toBe(starts.includes(step))
        }
      }),
      { seed },
    )
  })

  it('doublingRestartsSchedule has periods T, 2T, 4T ...; the last takes the remainder, or it is dropped', () => {
    fc.assert(
      fc.property(drawn, (options) => {
        const periods = doublingPeriods(options)
        const [first = 0] = periods
        const left = options.totalSteps - options.warmupSteps - periods.reduce((a, b) => a + b)
        expect(periods.slice(0, -1)).toEqual(periods.slice(0, -1).map((_, i) => first * 2 ** i))
        if (options.remainder === 'last-cycle') {
          expect(left).toBe(0)
        } else {
          expect(periods.at(-1)).toBe(first * 2 ** (options.cycles - 1))
          expect(left).toBeGreaterThanOrEqual(0)
          expect(left).toBeLessThan(2 ** options.cycles - 1)
        }
      }),
      { seed },
    )
  })

  it("with 'last-cycle' every step after the first and before the end is above the end value", () => {
    fc.assert(
      fc.property(drawn, (drawnOptions) => {
        const options = { ...drawnOptions, remainder: 'last-cycle' as const }
        const rate = doublingRestartsSchedule(options)
        for (let step = 1; step < options.totalSteps; step++) {
          expect(rate(step)).toBeGreaterThan(options.endValue)
        }
        for (const step of [options.totalSteps, options.totalSteps + 1, 1e12]) {
          expect(rate(step)).toBe(options.endValue)
        }
      }),
      { seed },
    )
  })

  it('doublingRestartsSchedule is continuous but for the restarts, and rises in the warm-up only', () => {
    fc.assert(
      fc.property(drawn, (options) => {
        const rate = doublingRestartsSchedule(options)
        const { warmupSteps, peakValue, endValue, initValue } = options
        let from = warmupSteps
        // |d rate / d step| is at most the ramp's slope, then pi (peak - end) / 2 T.
        const h = 2 ** -10
        for (let step = 0; step < warmupSteps; step += 0.5) {
          const rise = rate(step + h) - rate(step)
          expect(rise).toBeGreaterThan(0)
          expect(rise).toBeLessThanOrEqual((1.001 * h * (peakValue - initValue)) / warmupSteps)
        }
        for (const length of doublingPeriods(options)) {
          for (let step = from; step < from + length - 0.5; step += 0.5) {
            const fall = rate(step) - rate(step + h)
            expect(fall).toBeGreaterThanOrEqual(0)
            expect(fall).toBeLessThanOrEqual((1.001 * h * Math.PI * (peakValue - endValue)) / (2 * length))
          }
          from += length
        }
      }),
      { seed, numRuns: 40 },
    )
  })

  it('1,000 + 50,000 / 4: the floor version trains its last 10 steps at the end value, the other none', () => {
    const run = { peakValue: 3e-4, endValue: 3e-5, warmupSteps: 1000, totalSteps: 50_000, cycles: 4 }
    const atEnd = (remainder: 'drop' | 'last-cycle'): number => {
      const rate = doublingRestartsSchedule({ ...run, remainder })
      return Array.from({ length: 49_000 }, (_, i) => rate(1000 + i)).filter((v) => v <= 3e-5).length
    }
    expect([atEnd('drop'), atEnd('last-cycle')]).toEqual([10, 0])
  })

  it('a last cycle of 10^8 steps is above its end value one step before its end', () => {
    const run = { peakValue: 3e-4, endValue: 3e-5, warmupSteps: 0, totalSteps: 1e8, cycles: 1 }
    expect(doublingRestartsSchedule(run)(1e8 - 1)).toBeGreaterThan(3e-5)
  })

  it('doublingRestartsSchedule is sgdrSchedule with the warm-up in the first cycle', () => {
    const run = { initValue: 0.1, peakValue: 1, endValue: 0.01, warmupSteps: 9, totalSteps: 100, cycles: 3 }
    const cycles = doublingPeriods(run).map((length, i) => {
      const warmupSteps = i === 0 ? 9 : 0
      return { initValue: 0.1, peakValue: 1, endValue: 0.01, warmupSteps, decaySteps: warmupSteps + length }
    })
    const steps = Array.from({ length: 120 }, (_, step) => step)
    expect(steps.map(doublingRestartsSchedule(run))).toEqual(steps.map(sgdrSchedule(cycles)))
  })
})

describe('sgdrSchedule', () => {
  it('sgdrSchedule restarts at the sums of the decaySteps and warms up again in each cycle', () => {
    const rate = sgdrSchedule([
      { initValue: 0, peakValue: 1, warmupSteps: 2, decaySteps: 10 },
      { initValue: 0.5, peakValue: 0.75, warmupSteps: 4, decaySteps: 20, endValue: 0.25 },
    ])
    expect([0, 1, 2, 10, 12, 14, 22, 30, 1e6].map(rate)).toEqual([
      0, 0.5, 1, 0.5, 0.625, 0.75, 0.5, 0.25, 0.25,
    ])
  })
})
