import { sweepGrid } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'

const grid = sweepGrid({ seed: [5, 1, 4], lr: [2e-4, 1e-4] })

describe('sweepGrid', () => {
  it('sweepGrid(lists) has every combination, the learning rate varying fastest, defaults filled in', () => {
    expect(grid.map(({ seed, lr }) => [seed, lr])).toEqual([
      [5, 2e-4],
      [5, 1e-4],
      [1, 2e-4],
      [1, 1e-4],
      [4, 2e-4],
      [4, 1e-4],
    ])
    expect(grid[0]).toMatchObject({
      dtype: 'bfloat16',
      form: 'factorized',
      steps: 5000,
      gap: 16,
      length: 128,
    })
    expect(sweepGrid({}).length).toBe(1)
  })

  it('sweepGrid(lists) has a combination once, however often it is named', () => {
    expect(sweepGrid({ seed: [1, 1], gap: [16, 16.0] }).length).toBe(1)
    expect(sweepGrid({ experiment: ['gap', 'uniform'] }).map(({ gap }) => gap)).toEqual([16, null])
  })

  it.each([
    [{ lr: [] }, 'sweepGrid: an empty list [lr]'],
    [{ steps: [10, 0] }, 'step2750: steps is not a whole number from 1 to 1000000 [0]'],
    [{ lr: [Number.NaN] }, 'step2750: lr is not a positive number [NaN]'],
    [{ experiment: ['gap', 'uniform'] as const, gap: [8] }, 'step2750: experiment uniform has no gap [8]'],
  ])('sweepGrid(%j) is refused', (lists, message) => {
    expect(() => sweepGrid(lists)).toThrow(new RangeError(message))
  })
})
