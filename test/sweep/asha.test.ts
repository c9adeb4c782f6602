import fc from 'fast-check'
import { key } from 'tpu-toolkit/random'
import { asha, grid, linear, makeTrial, type Params, random, type Trial } from 'tpu-toolkit/sweep'
import { describe, expect, it } from 'vitest'
import { ashaSchedule } from '../../src/experiments/sweep/asha.js'
import type { Schedule } from '../../src/experiments/sweep/schedule.js'
import { seed } from '../support/seed.js'

const judge = (row: Readonly<Record<string, unknown>>): number => (row['loss'] as number | null) ?? Infinity

interface Course {
  readonly schedule: () => Schedule
  /** Trials in the order in which they were asked for, with what was known then: rows told before. */
  readonly asked: { readonly trial: Trial; readonly after: number }[]
  readonly told: { readonly trial: Trial; readonly loss: number | null }[]
  /** The keys under way after each row. */
  readonly underWay: string[][]
}

/** Runs a schedule whose trials end in an order that numbers choose, with `places` of them under way. */
function course(
  losses: readonly (readonly (number | null)[])[],
  eta: number,
  places: number,
  choose: readonly number[],
  stopAfter = Infinity,
): Course {
  const configurations = losses.map((_, i): Params => ({ i }))
  const steps = losses[0]!.map((_, k) => eta ** k)
  const schedule = () => ashaSchedule(configurations, { eta, steps }, judge)
  const made: Course = { schedule, asked: [], told: [], underWay: [] }
  const { next, tell } = schedule()
  const running: Trial[] = []
  const fill = (): void => {
    while (running.length < places) {
      const trial = next()
      if (!trial) break
      running.push(trial)
      made.asked.push({ trial, after: made.told.length })
    }
    made.underWay.push(running.map((trial) => trial.key))
  }
  fill()
  for (let n = 0; running.length > 0 && n < stopAfter; n++) {
    const [trial] = running.splice((choose[n % choose.length] ?? 0) % running.length, 1)
    const loss = losses[Number(trial!.params['i'])]![steps.indexOf(trial!.steps!)]!
    made.told.push({ trial: trial!, loss })
    tell(trial!, { loss })
    fill()
  }
  return made
}

const courses = fc
  .record({
    eta: fc.integer({ min: 2, max: 4 }),
    places: fc.integer({ min: 1, max: 6 }),
    rungs: fc.integer({ min: 1, max: 4 }),
    choose: fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }),
    n: fc.integer({ min: 1, max: 30 }),
  })
  .chain(({ rungs, n, ...rest }) =>
    fc
      .array(fc.array(fc.option(fc.nat(9)), { minLength: rungs, maxLength: rungs }), {
        minLength: n,
        maxLength: n,
      })
      .map((losses) => ({ ...rest, losses })),
  )

/** The best floor(n / eta) of those who finished a rung in the first rows: computed anew, from their definition. */
function best({ told }: Course, steps: number, rows: number, eta: number): unknown[] {
  const finished = told
    .slice(0, rows)
    .filter(({ trial }) => trial.steps === steps)
    .map(({ trial, loss }) => ({ i: Number(trial.params['i']), rank: loss ?? Infinity }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
  return finished
    .slice(0, Math.floor(finished.length / eta))
    .filter(({ rank }) => rank < Infinity)
    .map(({ i }) => i)
}

describe(`asha (seed ${seed})`, () => {
  it('asha(...) has rungs from minSteps to maxSteps, each eta times the one before', () => {
    const over = grid()
    expect(asha({ over, eta: 3, minSteps: 1, maxSteps: 27 }).rungs?.steps).toEqual([1, 3, 9, 27])
    expect(asha({ over, eta: 4, minSteps: 10, maxSteps: 100 }).rungs?.steps).toEqual([10, 40, 100])
    expect(asha({ over, minSteps: 5, maxSteps: 5 }).rungs?.steps).toEqual([5])
  })

  it.each([
    [{ eta: 1 }, 'asha: eta is not a whole number from 2 to 1000 [1]'],
    [{ maxSteps: 0 }, 'asha: maxSteps is not a whole number, 1 or more [0]'],
    [
      { over: asha({ over: grid(), minSteps: 1, maxSteps: 2 }) },
      'asha: over is a search by rungs itself [asha]',
    ],
  ])('asha(%o) is a RangeError', (wrong, message) => {
    expect(() => asha({ over: grid(), minSteps: 1, maxSteps: 9, ...wrong })).toThrow(new RangeError(message))
  })

  it('who goes on is one of the best floor(n / eta) of the n who finished the rung then, and none goes on twice', () => {
    fc.assert(
      fc.property(courses, ({ losses, eta, places, choose }) => {
        const made = course(losses, eta, places, choose)
        expect(new Set(made.asked.map(({ trial }) => trial.key)).size).toBe(made.asked.length)
        for (const { trial, after } of made.asked) {
          if (trial.steps === 1) continue
          const candidates = best(made, trial.steps! / eta, after, eta)
          expect(candidates).toContain(Number(trial.params['i']))
        }
      }),
      { seed },
    )
  })

  it('at the end every configuration began, and the best floor(n / eta) of every rung went on', () => {
    fc.assert(
      fc.property(courses, ({ losses, eta, places, choose }) => {
        const made = course(losses, eta, places, choose)
        const ran = (steps: number): number[] =>
          made.told.filter(({ trial }) => trial.steps === steps).map(({ trial }) => Number(trial.params['i']))
        expect(ran(1).sort((a, b) => a - b)).toEqual(losses.map((_, i) => i))
        for (let k = 0; k + 1 < losses[0]!.length; k++) {
          expect(ran(eta ** (k + 1))).toEqual(
            expect.arrayContaining(best(made, eta ** k, made.told.length, eta) as number[]),
          )
        }
      }),
      { seed },
    )
  })

  it('exactly floor(n / eta) go on where the best come first, as in halving that waits for a whole rung', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 2, max: 4 }), (n, eta) => {
        const losses = Array.from({ length: n }, (_, i) => [i, i, i])
        const { told } = course(losses, eta, 1, [0])
        const counts = [1, eta, eta * eta].map((s) => told.filter(({ trial }) => trial.steps === s).length)
        const [first, second] = [Math.floor(n / eta), Math.floor(Math.floor(n / eta) / eta)]
        expect(counts).toEqual([n, first, second])
      }),
      { seed },
    )
  })

  it('more than floor(n / eta) go on where the worst come first: who is let through early is not the best later', () => {
    const losses = Array.from({ length: 8 }, (_, i) => [8 - i, 8 - i])
    const { told } = course(losses, 2, 1, [0])
    expect(told.filter(({ trial }) => trial.steps === 2).length).toBeGreaterThan(4)
  })

  it('the rows in their order say what is under way: a sweep begun again after any row goes on with the same trials', () => {
    fc.assert(
      fc.property(courses, fc.nat(80), ({ losses, eta, places, choose }, cut) => {
        const whole = course(losses, eta, places, choose)
        const rows = Math.min(cut, whole.told.length)
        // As conduct does: tell the rows that the file holds, fill the places after each.
        const { next, tell } = whole.schedule()
        const running = new Map<string, Trial>()
        const fill = (): void => {
          while (running.size < places) {
            const trial = next()
            if (!trial) break
            running.set(trial.key, trial)
          }
        }
        fill()
        for (const { trial, loss } of whole.told.slice(0, rows)) {
          expect(running.delete(trial.key)).toBe(true)
          tell(trial, { loss })
          fill()
        }
        expect([...running.keys()]).toEqual(whole.underWay[rows])
      }),
      { seed },
    )
  })

  it('asha(...) tries the configurations of the search it is over', () => {
    const over = random({ trials: 5, key: key(2) })
    const space = { lr: linear(0, 1) }
    const { configurations } = asha({ over, minSteps: 1, maxSteps: 3 })
    expect(configurations(space)).toEqual(over.configurations(space))
    expect(makeTrial(configurations(space)[0]!, 3).steps).toBe(3)
  })
})
