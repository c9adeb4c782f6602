import { schedulePlot, scheduleSparkline } from 'tpu-toolkit/report'
import { cosineDecaySchedule, doublingRestartsSchedule, type Schedule } from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'

const restarts = doublingRestartsSchedule({
  peakValue: 3e-4,
  warmupSteps: 1000,
  totalSteps: 50_000,
  cycles: 4,
})
const cosine = cosineDecaySchedule({ initValue: 3e-4, decaySteps: 50_000 })
const paths = (svg: string): string[] =>
  [...svg.matchAll(/<path[^>]* d="([^"]*)"/g)].map(([, d]) => d ?? '').filter((d) => d.split('L').length > 5)

describe('schedulePlot', () => {
  it('schedulePlot gives the same bytes for the same schedules', () =>
    expect(schedulePlot({ restarts, cosine }, { steps: 50_000 })).toBe(
      schedulePlot({ restarts, cosine }, { steps: 50_000 }),
    ))
  it('schedulePlot draws one line per schedule, without dots, named in the legend', () => {
    const svg = schedulePlot({ 'SGDR & co': restarts, cosine }, { steps: 50_000, title: 'two' })
    expect(paths(svg).length).toBe(2)
    expect(svg).not.toContain('<circle')
    expect(svg).toContain('SGDR &amp; co')
    expect(svg).toContain('aria-label="two"')
  })
  it('schedulePlot asks every step of a short schedule, about two a pixel of a long one, first and last included', () => {
    const asked = (steps: number, width?: number): number[] => {
      const steps_: number[] = []
      const rate: Schedule = (step) => steps_.push(step)
      schedulePlot({ rate }, { steps, ...(width ? { width } : {}) })
      return steps_
    }
    expect(asked(5)).toEqual([0, 1, 2, 3, 4, 5])
    const long = asked(50_000, 300)
    expect([long.length, long[0], long.at(-1)]).toEqual([601, 0, 50_000])
    expect(long.every(Number.isInteger)).toBe(true)
  })
  it('schedulePlot takes a logarithmic scale, on which a rate of 0 is a ring at the foot', () => {
    const svg = schedulePlot(
      { cosine: cosineDecaySchedule({ initValue: 1, decaySteps: 4 }) },
      { steps: 4, scale: 'log10' },
    )
    expect([...svg.matchAll(/<circle/g)].length).toBe(1)
  })
  it.each([0, -1, 1.5, Number.NaN])('schedulePlot and scheduleSparkline refuse %d steps', (steps) => {
    const message = `steps is not a whole number, 1 or more [${steps}]`
    expect(() => schedulePlot({ cosine }, { steps })).toThrow(new RangeError(`schedulePlot: ${message}`))
    expect(() => scheduleSparkline(cosine, { steps })).toThrow(
      new RangeError(`scheduleSparkline: ${message}`),
    )
  })
})

describe('scheduleSparkline', () => {
  it('scheduleSparkline shows the warm-up and the restarts of doublingRestartsSchedule', () =>
    expect(scheduleSparkline(restarts, { steps: 50_000 })).toBe(
      '·▇▇▅▂▁█▇▆▄▃▂▁███▇▇▆▆▅▄▃▃▂▂▁▁▁█████▇▇▇▇▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▂▁▁▁▁▁·',
    ))
  it('scheduleSparkline has one character a step where there are fewer than its width', () =>
    expect(
      scheduleSparkline(cosineDecaySchedule({ initValue: 1, decaySteps: 4, alpha: 0.5 }), { steps: 4 }),
    ).toBe('█▇▅▂▁'))
  it('scheduleSparkline has a character for the first step and the last, and refuses a smaller width', () => {
    expect(scheduleSparkline(cosine, { steps: 50_000, width: 2 })).toBe('▁·')
    for (const width of [1, 0, 2.5, Number.NaN]) {
      expect(() => scheduleSparkline(cosine, { steps: 9, width })).toThrow(
        new RangeError(`scheduleSparkline: width is not a whole number, 2 or more [${width}]`),
      )
    }
  })
})
