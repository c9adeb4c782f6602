import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reportOf } from '../../src/adapters/queue/reports.js'
import { seed } from '../support/seed.js'

describe('reportOf', () => {
  it('reads a report', () => {
    expect(reportOf('{"job":"a","step":2,"metrics":{"loss":"NaN","rate":"0.5"}}')).toEqual({
      ...{ job: 'a', step: 2 },
      metrics: { loss: Number.NaN, rate: 0.5 },
    })
  })

  it.each([
    '{',
    '{}',
    'null',
    '[]',
    '',
    '{"job":1,"step":2,"metrics":{}}',
    '{"job":"a","step":2,"metrics":null}',
  ])('reportOf(%j) is undefined: any role of the database may send it', (text) =>
    expect(reportOf(text)).toBeUndefined(),
  )

  it(`never throws (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => void reportOf(text)),
      { seed },
    )
  })
})
