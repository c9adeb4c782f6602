import fc from 'fast-check'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { brokenRows, step } from './rows.js'

const open = (capacity: number, prioritized: object | true = true) => {
  const options = { capacity, obsDim: 2, actionDim: 1, seed, prefetch: 'in-process' } as const
  return new ReplayBuffer({ ...options, prioritized })
}

describe(`prioritized sampling (seed ${seed})`, () => {
  it.each([1, 8, 64, 1000, 4096])(
    'draws rows in proportion to their priorities, %i rows (chi-square)',
    (rows) => {
      const eps = 1e-9
      const alpha = 0.7
      const buffer = open(rows, { alpha, eps })
      // Half a ring more than fits, so that slots and numbers differ.
      for (let k = 0; k < 1.5 * rows; k++) buffer.add(step(k))
      const all = Array.from({ length: rows }, (_, i) => buffer.oldest + i)
      const priorities = all.map((_, i) => (i % 7) ** 2 / 3)
      expect(buffer.updatePriorities(all, priorities)).toBe(rows)
      const mass = priorities.map((p) => (p + eps) ** alpha)
      const total = mass.reduce((a, b) => a + b, 0)
      const counts = new Float64Array(rows)
      const draws = 200 * rows
      const size = Math.min(rows, 64)
      for (let call = 0; call < draws / size; call++) {
        const batch = buffer.sample(size)
        if (call === 0) expect(brokenRows(batch)).toEqual([])
        for (const index of batch.indices) counts[index - buffer.oldest]!++
      }
      const drawn = counts.reduce((a, b) => a + b, 0)
      let chi = 0
      let degrees = -1
      counts.forEach((count, i) => {
        const expected = (drawn * mass[i]!) / total
        if (expected < 1) {
          expect(count).toBeLessThan(20)
          return
        }
        chi += (count - expected) ** 2 / expected
        degrees++
      })
      // Drawing from equal parts of the sum only makes counts more even; mean d, deviation sqrt(2 d), six of them.
      expect(chi).toBeLessThanOrEqual(degrees + 6 * Math.sqrt(2 * Math.max(degrees, 0)) + 1e-9)
    },
  )

  it('weighs each row with (size P)^-beta over the largest weight of the batch', () => {
    const [alpha, beta, eps] = [0.5, 0.4, 0.01]
    const buffer = open(4, { alpha, beta, eps })
    for (let k = 0; k < 4; k++) buffer.add(step(k))
    const priorities = [0, 1, 4, 9]
    buffer.updatePriorities([0, 1, 2, 3], priorities)
    const mass = priorities.map((p) => Math.sqrt(p + eps))
    const total = mass.reduce((a, b) => a + b, 0)
    for (const used of [beta, 1, 0]) {
      const batch = buffer.sample(4, used === beta ? {} : { beta: used })
      const raw = [...batch.indices].map((index) => ((4 * mass[index]!) / total) ** -used)
      const most = Math.max(...raw)
      batch.weights.forEach((weight, i) => {
        // Some float64 roundings, then one to float32.
        expect(Math.abs(weight - raw[i]! / most)).toBeLessThanOrEqual(2 ** -24 * (1 + 2 ** -20))
      })
      expect(Math.max(...batch.weights)).toBe(1)
    }
  })

  it('gives a new row the largest priority there ever was, 1 at first', () => {
    const buffer = open(4, { alpha: 1, eps: 0.5 })
    buffer.add(step(0))
    expect(buffer.stats().priorities).toEqual({ total: 1.5, max: 1, stale: 0 })
    buffer.updatePriorities([0], [7])
    buffer.updatePriorities([0], [2])
    buffer.add(step(1))
    expect(buffer.stats().priorities).toEqual({ total: 2.5 + 7.5, max: 7, stale: 0 })
  })

  it('updatePriorities passes over rows that were replaced, and says how many it updated', () => {
    const buffer = open(2, { alpha: 1, eps: 0.5 })
    for (let k = 0; k < 3; k++) buffer.add(step(k))
    expect(buffer.updatePriorities([0, 1, 2], [100, 2, 3])).toBe(2)
    expect(buffer.stats().priorities).toEqual({ total: 2.5 + 3.5, max: 3, stale: 1 })
  })

  it('finds rows by their share of the sum, whatever the priorities are (against a plain sum)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-200, max: 1e12, noNaN: true })), {
          minLength: 1,
          maxLength: 200,
        }),
        (priorities) => {
          const buffer = open(priorities.length, { alpha: 1, eps: 1e-300 })
          priorities.forEach((_, k) => {
            buffer.add(step(k))
          })
          buffer.updatePriorities(
            priorities.map((_, k) => k),
            priorities,
          )
          const sum = priorities.reduce((a, b) => a + b, 0)
          const batch = buffer.sample(priorities.length)
          if (sum === 0) return
          const sumBefore = (k: number) => priorities.slice(0, k).reduce((a, b) => a + b, 0)
          batch.indices.forEach((k, i) => {
            // Row i of the batch is from the i-th of n equal parts of the sum, up to n roundings of it.
            const slack = sum * priorities.length * 2 ** -52
            expect(priorities[k]).toBeGreaterThan(0)
            expect(sumBefore(k)).toBeLessThanOrEqual(((i + 1) / batch.size) * sum + slack)
            expect(sumBefore(k) + priorities[k]!).toBeGreaterThanOrEqual((i / batch.size) * sum - slack)
          })
        },
      ),
      { seed },
    )
  })

  it.each([
    [[0], [-1], 'updatePriorities: priority is not a finite number of at least 0 [-1]'],
    [[0, 1], [2, Number.NaN], 'updatePriorities: priority is not a finite number of at least 0 [NaN]'],
    [[0], [Infinity], 'updatePriorities: priority is not a finite number of at least 0 [Infinity]'],
    [[0, 1], [1], 'updatePriorities: lengths differ [indices 2, priorities 1]'],
    [[2], [1], 'updatePriorities: no such row, 2 were added [2]'],
    [[-1], [1], 'updatePriorities: no such row, 2 were added [-1]'],
    [[0.5], [1], 'updatePriorities: no such row, 2 were added [0.5]'],
  ])('updatePriorities(%j, %j) is refused whole', (indices, priorities, message) => {
    const buffer = open(4)
    buffer.add(step(0))
    buffer.add(step(1))
    const before = buffer.stats()
    expect(() => buffer.updatePriorities(indices, priorities)).toThrow(new RangeError(message))
    expect(buffer.stats()).toEqual(before)
  })

  it('without priorities there is nothing to update, and with them no drawing without replacement', () => {
    const plain = new ReplayBuffer({ capacity: 2, obsDim: 2, actionDim: 1 })
    expect(() => plain.updatePriorities([], [])).toThrow(
      new RangeError('updatePriorities: the buffer has none, see the option [prioritized: undefined]'),
    )
    const buffer = open(2)
    buffer.add(step(0))
    expect(() => buffer.sample(1, { replacement: false })).toThrow(
      new RangeError('sample: by priorities, rows are drawn with replacement only [replacement false]'),
    )
  })
})
