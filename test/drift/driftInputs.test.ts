import { createHash } from 'node:crypto'
import { earthquakeGaps, flightGaps } from 'tpu-toolkit/data'
import { asSteps, driftInputs as inputsOf } from 'tpu-toolkit/drift'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'
import { seed } from '../support/seed.js'

const tables = [
  ['src/experiments/data/earthquakeGaps.ts', earthquakeGaps, 1_706],
  ['src/experiments/data/flightGaps.ts', flightGaps, 17_728],
] as const

const driftInputs = (from: number, n: number) =>
  inputsOf(
    [
      { name: 'earthquakes', what: 'earthquakes', gaps: earthquakeGaps },
      { name: 'flights', what: 'departures', gaps: flightGaps },
    ],
    from,
    n,
  )

describe('real data', () => {
  it.each(tables)('%s are positive integers, as many as stated', (_, gaps, count) => {
    expect(gaps).toHaveLength(count)
    expect(gaps.filter((gap) => !Number.isSafeInteger(gap) || gap <= 0)).toEqual([])
  })
  it.each(tables)('%s have the checksum that their file states', (path, gaps) => {
    const text = readText(path)
    expect(text).toContain(`single spaces: ${createHash('sha256').update(gaps.join(' ')).digest('hex')}`)
  })
})

describe('asSteps', () => {
  it('asSteps puts the median gap at 0.01 and clips to [0.001, 0.1]', () => {
    const { values, clipped } = asSteps([1, 40, 50, 60, 5_000], 5)
    expect([...values]).toEqual([0.001, 0.008, 0.01, 0.012, 0.1].map((x) => expect.closeTo(x, 12)))
    expect(clipped).toBe(0.4)
  })
  it('asSteps starts over at the end of the table', () =>
    expect([...asSteps([1, 2, 3], 7).values].map((x) => Math.round(x * 200))).toEqual([1, 2, 3, 1, 2, 3, 1]))
})

describe(`driftInputs (seed ${seed})`, () => {
  const long = driftInputs(seed, 4_096)
  it('driftInputs of fewer values are the beginning of those of more', () => {
    for (const [i, { name, values }] of driftInputs(seed, 100).entries()) {
      expect([...values], name).toEqual([...long[i]!.values.subarray(0, 100)])
    }
  })
  it('driftInputs are finite and not negative: they are steps', () => {
    for (const { name, values } of long) {
      expect(
        [...values].filter((x) => !(x >= 0 && x < 1e3)),
        name,
      ).toEqual([])
    }
  })
  it('driftInputs say where a table starts over', () => {
    expect(long[0]!.about).toContain('lengths beyond 1,706 start the table over')
    expect(long[1]!.about).not.toContain('start the table over')
  })
})
