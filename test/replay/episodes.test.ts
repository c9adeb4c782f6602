import fc from 'fast-check'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Step {
  readonly k: number
  readonly environment: number
  readonly reward: number
  readonly terminated: boolean
  readonly truncated: boolean
}

/** A run of several environments in turns, as a plain list per environment. */
const runs = fc.record({
  environments: fc.integer({ min: 1, max: 3 }),
  capacity: fc.integer({ min: 3, max: 12 }),
  n: fc.integer({ min: 1, max: 5 }),
  gamma: fc.constantFrom(0, 0.5, 0.99, 1),
  steps: fc.array(
    fc.record({
      reward: fc.float({ noNaN: true, min: -100, max: 100 }),
      terminated: fc.integer({ min: 0, max: 4 }).map((x) => x === 0),
      truncated: fc.integer({ min: 0, max: 4 }).map((x) => x === 0),
    }),
    { maxLength: 30 },
  ),
})

function play({
  environments,
  capacity,
  steps,
}: {
  environments: number
  capacity: number
  steps: readonly object[]
}) {
  const rounds = Math.floor(steps.length / environments)
  const model = (steps as Omit<Step, 'k' | 'environment'>[])
    .slice(0, rounds * environments)
    .map((step, k): Step => ({ ...step, k, environment: k % environments }))
  return { model, oldest: Math.max(0, model.length - capacity) }
}

function fill(buffer: ReplayBuffer, model: readonly Step[], environments: number): void {
  for (let at = 0; at < model.length; at += environments) {
    const now = model.slice(at, at + environments)
    buffer.addBatch({
      obs: now.map(({ k }) => k),
      action: now.map(() => 0),
      reward: now.map(({ reward }) => reward),
      nextObs: now.map(({ k }) => k + 0.5),
      terminated: now.map(({ terminated }) => terminated),
      truncated: now.map(({ truncated }) => truncated),
    })
  }
}

describe(`n-step returns (seed ${seed})`, () => {
  it('equal the sum by hand: stopped at terminated, cut but not closed at truncated and at the newest row', () => {
    fc.assert(
      fc.property(runs, ({ environments, capacity, n, gamma, steps }) => {
        const { model, oldest } = play({ environments, capacity, steps })
        if (model.length === 0) return
        const buffer = new ReplayBuffer({
          capacity,
          obsDim: 1,
          actionDim: 1,
          environments,
          seed,
          nStep: { n, gamma },
        })
        fill(buffer, model, environments)
        const size = model.length - oldest
        const batch = buffer.sample(size, { replacement: false })
        expect([...batch.indices].sort((a, b) => a - b)).toEqual(model.slice(oldest).map(({ k }) => k))
        for (let i = 0; i < size; i++) {
          // The environment's own rows from this one on, as a list: no ring, no stride.
          const own = model.filter(
            ({ k, environment }) =>
              k >= batch.indices[i]! && environment === batch.indices[i]! % environments,
          )
          const end = own.findIndex(({ terminated, truncated }) => terminated || truncated)
          const taken = own.slice(0, Math.min(n, end < 0 ? own.length : end + 1))
          const last = taken.at(-1)!
          const expected = taken.reduce((sum, { reward }, t) => sum + gamma ** t * reward, 0)
          // At most 2 n float64 roundings of terms of at most 100, and one to float32.
          const bound = 2 ** -24 * Math.abs(expected) + 2 * n * n * 100 * 2 ** -53 + 2 ** -149
          expect(Math.abs(batch.reward[i]! - expected)).toBeLessThanOrEqual(bound)
          expect(batch.steps![i]).toBe(taken.length)
          expect(batch.nextObs[i]).toBe(last.k + 0.5)
          expect(batch.obs[i]).toBe(batch.indices[i])
          expect([batch.terminated[i], batch.truncated[i]]).toEqual([
            Number(last.terminated),
            Number(last.truncated),
          ])
          const power = taken.reduce((product) => product * gamma, 1)
          expect(batch.discount![i]).toBe(Math.fround(last.terminated ? 0 : power))
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  it('endEpisodes truncates the newest row of every environment, so that what follows is another episode', () => {
    const buffer = new ReplayBuffer({
      capacity: 8,
      obsDim: 1,
      actionDim: 1,
      environments: 2,
      nStep: { n: 3, gamma: 1 },
    })
    const two = (terminated: readonly boolean[]) => ({
      obs: [0, 0],
      action: [0, 0],
      reward: [1, 1],
      nextObs: [0, 0],
      terminated,
    })
    buffer.addBatch(two([false, true]))
    expect(buffer.endEpisodes()).toBe(1)
    expect(buffer.endEpisodes()).toBe(0)
    buffer.addBatch(two([false, false]))
    const rows = buffer.gather([0, 1, 2, 3])
    expect([...rows.truncated]).toEqual([1, 0, 0, 0])
    expect([...rows.terminated]).toEqual([0, 1, 0, 0])
    const batch = buffer.sample(4, { replacement: false })
    expect([...batch.steps!]).toEqual([1, 1, 1, 1])
    expect(new ReplayBuffer({ capacity: 1, obsDim: 1, actionDim: 1 }).endEpisodes()).toBe(0)
  })
})

describe(`sampleSequences (seed ${seed})`, () => {
  it('gives exactly the runs of one episode and environment that are in the ring', () => {
    let seen = 0
    fc.assert(
      fc.property(runs, ({ environments, capacity, n: length, steps }) => {
        const { model, oldest } = play({ environments, capacity, steps })
        if (model.length === 0) return
        const buffer = new ReplayBuffer({ capacity, obsDim: 1, actionDim: 1, environments, seed })
        fill(buffer, model, environments)
        const possible = new Set<string>()
        for (let k = oldest; k < model.length; k++) {
          const rows = Array.from({ length }, (_, t) => k + t * environments)
          const inside = rows.every((row) => row < model.length)
          const open = rows.slice(0, -1).every((row) => !(model[row]?.terminated || model[row]?.truncated))
          if (inside && open) possible.add(rows.join())
        }
        if (possible.size === 0) {
          expect(() => buffer.sampleSequences(1, { length })).toThrow(
            new RangeError(`sampleSequences: no episode has that many rows in the buffer [length ${length}]`),
          )
          return
        }
        const found = new Set<string>()
        for (let call = 0; call < 20; call++) {
          const batch = buffer.sampleSequences(8, { length })
          expect(batch.size).toBe(8 * length)
          for (let i = 0; i < 8; i++) {
            const rows = batch.indices.slice(i * length, (i + 1) * length)
            expect(possible).toContain(rows.join())
            expect([...batch.obs.slice(i * length, (i + 1) * length)]).toEqual([...rows])
            found.add(rows.join())
          }
        }
        // 160 draws of at most 12 possibilities: one is missed with a chance of 1e-5.
        expect(found).toEqual(possible)
        seen += possible.size
      }),
      { seed, numRuns: 200 },
    )
    expect(seen).toBeGreaterThan(100)
  })

  it('finds the few that there are among many rows', () => {
    const buffer = new ReplayBuffer({ capacity: 20_000, obsDim: 1, actionDim: 1 })
    for (let k = 0; k < 20_000; k++) {
      buffer.add({ obs: k, action: 0, reward: 0, nextObs: 0, terminated: k < 700 || k > 702 })
    }
    const batch = buffer.sampleSequences(3, { length: 4 })
    expect([...batch.indices]).toEqual([700, 701, 702, 703, 700, 701, 702, 703, 700, 701, 702, 703])
  })

  it.each([
    [0, 1, 1, 'sampleSequences: the buffer is empty [0 rows]'],
    [3, 0, 1, 'sampleSequences: batchSize is not a positive integer [0]'],
    [3, 1, 0, 'sampleSequences: length is not a positive integer [0]'],
    [3, 1, 4, 'sampleSequences: no episode has that many rows in the buffer [length 4]'],
  ])('with %i rows, %i sequences of %i throw', (rows, size, length, message) => {
    const buffer = new ReplayBuffer({ capacity: 5, obsDim: 1, actionDim: 1 })
    for (let k = 0; k < rows; k++) buffer.add({ obs: 0, action: 0, reward: 0, nextObs: 0, terminated: false })
    expect(() => buffer.sampleSequences(size, { length })).toThrow(new RangeError(message))
  })
})
