import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobId, resultsChannel } from '../../src/adapters/queue/jobId.js'
import { seed } from '../support/seed.js'

describe('jobId', () => {
  it(`is a UUID of version 8, the same for the same trial (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (sweep, key) => {
        const id = jobId(sweep, key)
        expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
        expect(jobId(sweep, key)).toBe(id)
      }),
      { seed },
    )
  })

  it('differs where the sweep or the key does, however they are cut', () => {
    const ids = [jobId('a', 'bc'), jobId('ab', 'c'), jobId('a', 'b'), jobId('a', 'bc ')]
    expect(new Set(ids).size).toBe(4)
  })
})

it('resultsChannel(sweep) is a name that PostgreSQL does not cut off, of at most 63 bytes', () => {
  for (const sweep of ['', 'x'.repeat(1000), 'ß "; drop']) {
    expect(resultsChannel(sweep)).toMatch(/^[a-z_\d]{1,63}$/)
  }
})
