import fc from 'fast-check'
import {
  constantSchedule,
  joinSchedules,
  linearSchedule,
  type Schedule,
  warmupConstantSchedule,
} from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe(`joinSchedules (seed ${seed})`, () => {
  it('joinSchedules hands each part the steps since its boundary, and asks no other', () => {
    const asked: string[] = []
    const part =
      (name: string): Schedule =>
      (step) => {
        asked.push(`${name}${step}`)
        return step
      }
    const rate = joinSchedules([part('a'), part('b'), part('c')], [2, 5])
    expect([0, 1, 2, 4, 5, 6, 1000].map(rate)).toEqual([0, 1, 0, 2, 0, 1, 995])
    expect(asked).toEqual(['a0', 'a1', 'b0', 'b2', 'c0', 'c1', 'c995'])
  })
  it('joinSchedules passes over a part between equal boundaries', () =>
    expect(
      [4, 5].map(
        joinSchedules(
          [1, 2, 3].map((v) => constantSchedule(v)),
          [5, 5],
        ),
      ),
    ).toEqual([1, 3]))
  it('joinSchedules with a boundary at 0 never asks the first part', () =>
    expect(joinSchedules([constantSchedule(1), constantSchedule(2)], [0])(0)).toBe(2))
  it('joinSchedules of one schedule is that schedule', () => {
    const ramp = linearSchedule({ initValue: 0, endValue: 1, transitionSteps: 8 })
    expect([0, 3, 8].map(joinSchedules([ramp], []))).toEqual([0, 0.375, 1])
  })
  it('joinSchedules keeps its own copy of the lists', () => {
    const boundaries = [3]
    const parts = [constantSchedule(1), constantSchedule(2)]
    const rate = joinSchedules(parts, boundaries)
    boundaries[0] = 100
    parts[1] = constantSchedule(9)
    expect(rate(3)).toBe(2)
  })
  it('joinSchedules is continuous where the parts meet in value', () => {
    const ramp = warmupConstantSchedule({ initValue: 0, peakValue: 3, warmupSteps: 7 })
    const rate = joinSchedules([ramp, linearSchedule({ initValue: 3, endValue: 1, transitionSteps: 9 })], [7])
    expect(rate(7)).toBe(3)
    for (const step of [0, 3, 6.5, 7, 12, 15.9]) {
      expect(Math.abs(rate(step + 1e-6) - rate(step))).toBeLessThan(1e-6)
    }
  })
  it("joinSchedules is optax's fold over the parts, at any ascending boundaries", () => {
    const lists = fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }).map((b) => b.sort((x, y) => x - y))
    fc.assert(
      fc.property(lists, fc.nat(60), (boundaries, step) => {
        const parts = [0, ...boundaries].map(
          (_, i): Schedule =>
            (t) =>
              100 * i + t,
        )
        const folded = boundaries.reduce((out, b, i) => (step < b ? out : parts[i + 1]!(step - b)), step)
        expect(joinSchedules(parts, boundaries)(step)).toBe(folded)
      }),
      { seed },
    )
  })
})
