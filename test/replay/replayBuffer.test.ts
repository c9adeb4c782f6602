import fc from 'fast-check'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { brokenRows, step } from './rows.js'

const options = { capacity: 5, obsDim: 2, actionDim: 1, prefetch: 'in-process' } as const
const filled = (n: number, more = {}): ReplayBuffer => {
  const buffer = new ReplayBuffer({ ...options, ...more })
  for (let k = 0; k < n; k++) buffer.add(step(k))
  return buffer
}

describe(`the ring (seed ${seed})`, () => {
  it('add replaces the oldest row where the ring is full, and numbers rows from the first', () => {
    const buffer = filled(5)
    expect([buffer.size, buffer.oldest, buffer.added]).toEqual([5, 0, 5])
    expect(buffer.add(step(5))).toBe(5)
    expect([buffer.size, buffer.oldest, buffer.added]).toEqual([5, 1, 6])
    const all = buffer.gather([1, 2, 3, 4, 5])
    expect(brokenRows(all)).toEqual([])
    expect(() => buffer.gather([0])).toThrow(new RangeError('gather: no such row, there are 1 .. 5 [0]'))
    expect(() => buffer.gather([1.5])).toThrow(new RangeError('gather: no such row, there are 1 .. 5 [1.5]'))
    expect(() => buffer.gather([6])).toThrow(new RangeError('gather: no such row, there are 1 .. 5 [6]'))
    expect(buffer.gather([]).obs).toEqual(new Float32Array(0))
  })

  it('addBatch equals as many adds, around the end of the ring and beyond its capacity', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }), (counts) => {
        const one = new ReplayBuffer(options)
        const many = new ReplayBuffer(options)
        for (const count of counts) {
          const first = one.added
          const rows = Array.from({ length: count }, (_, i) =>
            step(first + i, 2, { terminated: i % 3 === 0 }),
          )
          for (const row of rows) one.add(row)
          const flat = (name: 'obs' | 'nextObs') => rows.flatMap((row) => [...(row[name] as Float32Array)])
          const returned = many.addBatch({
            obs: flat('obs'),
            nextObs: Float64Array.from(flat('nextObs')),
            action: rows.map((row) => row.action as number),
            reward: rows.map((row) => row.reward as number),
            terminated: rows.map((row) => row.terminated),
          })
          expect(returned).toBe(first)
        }
        const there = Array.from({ length: one.size }, (_, i) => one.oldest + i)
        expect(many.gather(there)).toEqual(one.gather(there))
      }),
      { seed },
    )
  })

  it('a ring of one row holds the newest', () => {
    const buffer = filled(3, { capacity: 1 })
    expect([...buffer.sample(1).indices]).toEqual([2])
    expect(brokenRows(buffer.sample(1))).toEqual([])
  })

  it('NaN, infinities, -0 and subnormals come back as they were added', () => {
    const buffer = new ReplayBuffer({ capacity: 1, obsDim: 6, actionDim: 1 })
    const obs = [Number.NaN, Infinity, -Infinity, -0, 2 ** -149, 1e300]
    buffer.add({ obs, action: 0, reward: 0, nextObs: obs, terminated: true })
    expect([...buffer.gather([0]).obs]).toEqual([Number.NaN, Infinity, -Infinity, -0, 2 ** -149, Infinity])
  })

  it('spec gives columns of any shape and type, each in its own kind of array', () => {
    const spec = {
      image: { shape: [2, 3], dtype: 'uint8' },
      hidden: { shape: [3], dtype: 'bfloat16' },
      time: { dtype: 'float64' },
      action: { dtype: 'int32' },
      id: { dtype: 'uint32' },
      legal: { shape: [3], dtype: 'bool' },
    } as const
    const buffer = new ReplayBuffer({ capacity: 3, spec })
    const row = { time: 1 / 3, action: -7, id: 2 ** 32 - 1, legal: [true, false, 1] as unknown as number[] }
    buffer.add({ ...row, image: [0, 1, 2, 3, 4, 255], hidden: [1, 1 / 3, 257], terminated: true })
    const batch = buffer.sample(1)
    expect(batch.image).toEqual(Uint8Array.of(0, 1, 2, 3, 4, 255))
    expect(batch.hidden).toEqual(Float32Array.of(1, 0.333984375, 256))
    expect(batch.time).toEqual(Float64Array.of(1 / 3))
    expect(batch.action).toEqual(Int32Array.of(-7))
    expect(batch.id).toEqual(Uint32Array.of(2 ** 32 - 1))
    expect(batch.legal).toEqual(Uint8Array.of(1, 0, 1))
    // 8 time, 4 + 4 action and id, 6 hidden, 6 + 3 bytes: 31, padded to 32.
    expect(buffer.stats()).toMatchObject({ rowBytes: 32, bytes: 96 })
  })
})

describe('sample', () => {
  it('gives whole rows that are there, the same for the same seed and calls', () => {
    const [one, two, other] = [filled(9), filled(9), filled(9, { seed: 1 })]
    for (let call = 0; call < 20; call++) {
      const batch = one.sample(4)
      expect(brokenRows(batch)).toEqual([])
      expect(batch.indices.every((index) => index >= 4 && index <= 8)).toBe(true)
      expect([...batch.weights]).toEqual([1, 1, 1, 1])
      expect(two.sample(4)).toEqual(batch)
    }
    const indices = (buffer: ReplayBuffer) => buffer.sample(5).indices.join()
    expect(indices(other)).not.toBe(indices(one))
  })

  it('reaches every row equally often (chi-square, 4 degrees of freedom)', () => {
    const buffer = filled(7, { seed })
    const counts = new Map<number, number>()
    for (let call = 0; call < 4000; call++) {
      for (const index of buffer.sample(5).indices) counts.set(index, (counts.get(index) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual([2, 3, 4, 5, 6])
    const chi = [...counts.values()].reduce((sum, count) => sum + (count - 4000) ** 2 / 4000, 0)
    // P(chi-square of 4 degrees > 33.4) is 1e-6.
    expect(chi).toBeLessThan(33.4)
  })

  it('without replacement every row comes once, and each order equally often (23 degrees of freedom)', () => {
    const buffer = filled(4, { capacity: 4, seed })
    const counts = new Map<string, number>()
    for (let call = 0; call < 24_000; call++) {
      const order = buffer.sample(4, { replacement: false }).indices.join('')
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    expect(counts.size).toBe(24)
    const chi = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // P(chi-square of 23 degrees > 70.5) is 1e-6.
    expect(chi).toBeLessThan(70.5)
  })

  it('out is filled again and returned', () => {
    const buffer = filled(5)
    const batch = buffer.sample(3)
    expect(buffer.sample(3, { out: batch })).toBe(batch)
    expect(brokenRows(batch)).toEqual([])
    expect(() => buffer.sample(4, { out: batch })).toThrow(
      new RangeError('sample: out.obs is not a Float32Array of 8 [Float32Array of 6]'),
    )
    const { reward: _, ...less } = batch
    expect(() => buffer.sample(3, { out: less as typeof batch })).toThrow(
      new RangeError('sample: out.reward is not a Float32Array of 3 [undefined]'),
    )
  })

  it('isReady and canSample say what sample needs', () => {
    const buffer = new ReplayBuffer(options)
    expect([buffer.isReady(), buffer.isReady(0), buffer.canSample()]).toEqual([false, false, false])
    buffer.add(step(0))
    expect([buffer.isReady(), buffer.isReady(2), buffer.canSample(1), buffer.canSample(2)]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(() => buffer.isReady(-1)).toThrow(
      new RangeError('isReady: warmup is not a number of at least 0 [-1]'),
    )
  })

  it.each([
    [0, 1, {}, new RangeError('sample: the buffer is empty [0 rows]')],
    [3, 4, {}, new RangeError('sample: more rows asked for than there are [4 of 3]')],
    [9, 6, {}, new RangeError('sample: more rows asked for than there are [6 of 5]')],
    [3, 0, {}, new RangeError('sample: batchSize is not a positive integer [0]')],
    [3, 1.5, {}, new RangeError('sample: batchSize is not a positive integer [1.5]')],
    [3, 1, { beta: 2 }, new RangeError('sample: beta is outside 0..1 [2]')],
    [
      3,
      1,
      { replacement: 0 as unknown as boolean },
      new TypeError('sample: replacement is not a boolean [0]'),
    ],
  ])('with %i rows, sample(%d, %o) throws', (rows, size, more, error) => {
    const buffer = filled(rows)
    expect(() => buffer.sample(size, more)).toThrow(error)
    expect(buffer.stats().sampled).toBe(0)
  })
})
