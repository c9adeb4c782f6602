import fc from 'fast-check'
import { RateLimiter, ReplayBuffer } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { step } from './rows.js'

describe(`RateLimiter (seed ${seed})`, () => {
  // By dm-reverb's rule with samplesPerInsert 2, minSizeToSample 3, errorBuffer 4: the difference stays in 2 .. 10.
  it('lets in and out what dm-reverb does', () => {
    const limiter = new RateLimiter({ samplesPerInsert: 2, minSizeToSample: 3, errorBuffer: 4 })
    expect([limiter.minDiff, limiter.maxDiff]).toEqual([2, 10])
    expect([limiter.canSample(1, 2), limiter.canInsert(1, 2)]).toEqual([false, true])
    limiter.inserts = 3
    // 6 - 0 - n >= 2
    expect([1, 4, 5].map((n) => limiter.canSample(n, 3))).toEqual([true, true, false])
    // 2 (3 + n) <= 10
    expect([1, 2, 3].map((n) => limiter.canInsert(n, 3))).toEqual([true, true, false])
  })

  it('keeps the difference within its bounds whatever is tried, and never stops both sides', () => {
    const limits = fc.record({
      samplesPerInsert: fc.constantFrom(0.25, 1, 3.5, 8),
      minSizeToSample: fc.integer({ min: 1, max: 8 }),
      slack: fc.double({ min: 1, max: 4, noNaN: true }),
    })
    fc.assert(
      fc.property(limits, fc.array(fc.boolean(), { maxLength: 200 }), ({ slack, ...limit }, tries) => {
        const errorBuffer = slack * Math.max(1, limit.samplesPerInsert)
        const rateLimit = { ...limit, errorBuffer }
        const buffer = new ReplayBuffer({
          capacity: 8,
          obsDim: 2,
          actionDim: 1,
          rateLimit,
          prefetch: 'in-process',
        })
        for (const adds of tries) {
          if (adds && buffer.canAdd()) buffer.add(step(buffer.added))
          else if (!adds && buffer.canSample()) buffer.sample(1)
          const { diff, minDiff, maxDiff } = buffer.stats().rateLimit!
          if (buffer.added > limit.minSizeToSample) {
            expect(diff).toBeGreaterThanOrEqual(minDiff)
            expect(diff).toBeLessThanOrEqual(maxDiff)
          }
          expect(buffer.canAdd() || buffer.canSample()).toBe(true)
        }
      }),
      { seed },
    )
  })

  it('refuses to add and to sample out of turn, by every way, and stores nothing', async () => {
    const rateLimit = { samplesPerInsert: 1, minSizeToSample: 2, errorBuffer: 1 }
    const buffer = new ReplayBuffer({ capacity: 8, obsDim: 2, actionDim: 1, rateLimit })
    buffer.add(step(0))
    const early = (op: string) =>
      new RangeError(
        `${op}: the rate limiter waits for rows, ask canSample first [1 inserts, 0 samples, 1 more]`,
      )
    expect(() => buffer.sample(1)).toThrow(early('sample'))
    await expect(buffer.sampleAsync(1)).rejects.toThrow(early('sampleAsync'))
    expect(() => buffer.sampleSequences(1, { length: 1 })).toThrow(early('sampleSequences'))
    buffer.add(step(1))
    buffer.add(step(2))
    expect(buffer.canAdd()).toBe(false)
    const late = (op: string) =>
      new RangeError(`${op}: the rate limiter waits for samples, ask canAdd first [3 inserts, 0 samples]`)
    expect(() => buffer.add(step(3))).toThrow(late('add'))
    const rows = { obs: [3, 3], nextObs: [3, 3], action: [3], reward: [3], terminated: [0] }
    expect(() => buffer.addBatch(rows)).toThrow(late('addBatch'))
    expect(buffer.added).toBe(3)
    buffer.sample(1)
    expect(buffer.add(step(3))).toBe(3)
    buffer.close()
  })

  it.each([
    [{ samplesPerInsert: 0 }, 'RateLimiter: samplesPerInsert is not a positive number [0]'],
    [{ minSizeToSample: 0 }, 'RateLimiter: minSizeToSample is not a positive integer [0]'],
    [{ errorBuffer: 1 }, 'RateLimiter: errorBuffer spans less than 2 max(1, samplesPerInsert) = 4 [1]'],
    [
      { errorBuffer: [20, 30] as const },
      'RateLimiter: errorBuffer does not hold minSizeToSample * samplesPerInsert = 10, both sides would wait [20,30]',
    ],
    [
      { errorBuffer: [0, 9] as const },
      'RateLimiter: errorBuffer does not hold minSizeToSample * samplesPerInsert = 10, both sides would wait [0,9]',
    ],
  ])('%o is a RangeError', (change, message) => {
    const limit = { samplesPerInsert: 2, minSizeToSample: 5, errorBuffer: 4, ...change }
    expect(() => new RateLimiter(limit)).toThrow(new RangeError(message))
  })
})
