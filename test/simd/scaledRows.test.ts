import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { addScaledRows } from '#simd'

describe('addScaledRows', () => {
  it.each([
    [3, 5],
    [64, 192],
    [1000, 37],
    [2, 8192],
    [2, 8193],
    [0, 4],
    [4, 0],
  ])('rounds as the scalar loop, %i rows of %i', (rows, columns) => {
    const [total, sums] = [1, 2].map((seed) => normal(key(seed), rows * columns))
    const [down, across] = [normal(key(3), rows), normal(key(4), columns)]
    const results = (['simd', 'plain'] as const).map((engine) => {
      const out = total!.slice()
      addScaledRows(out, sums!, down, across, engine)
      return out
    })
    expect(results[0]).toEqual(results[1])
    const found = Float32Array.from(total!, (one, i) => {
      const both = Math.fround(down[Math.floor(i / columns)]! * across[i % columns]!)
      return one + Math.fround(sums![i]! * both)
    })
    expect(results[1]).toEqual(found)
  })
})
