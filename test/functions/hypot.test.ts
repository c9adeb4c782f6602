import { hypot } from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const key = new Columns('functions/hypot_float64')
const [a, b, expected] = ['a', 'b', 'hypot'].map((name) =>
  Float64Array.from(new Float64Array(key.u64(name).slice().buffer)),
) as [Float64Array, Float64Array, Float64Array]

/** How many float64 lie between two numbers that are not negative. */
function apart(x: number, y: number): number {
  const [p, q] = new BigInt64Array(Float64Array.of(x, y).buffer)
  return Math.abs(Number(p! - q!))
}

describe('hypot', () => {
  it('hypot(a, b) is a float64 next to the real value, and nearly always the nearest', () => {
    let other = 0
    for (let i = 0; i < a.length; i++) {
      const value = hypot(a[i]!, b[i]!)
      if (Object.is(value, expected[i])) continue
      other++
      if (!(apart(value, expected[i]!) <= 1)) expect([a[i], b[i], value]).toEqual([a[i], b[i], expected[i]])
    }
    // 0.01 ulp on either side of a midpoint; among subnormal results more.
    expect(other).toBeLessThan(0.02 * a.length)
  })

  it('hypot(a, b) takes either order and either sign', () => {
    for (let i = 0; i < a.length; i += 7) {
      const value = hypot(a[i]!, b[i]!)
      expect([hypot(b[i]!, a[i]!), hypot(-a[i]!, b[i]!), hypot(a[i]!, -b[i]!)]).toEqual([value, value, value])
    }
  })

  it('hypot(m^2 - n^2, 2 m n) is m^2 + n^2', () => {
    for (let m = 2; m < 60; m++) {
      for (let n = 1; n < m; n++) expect(hypot(m * m - n * n, 2 * m * n)).toBe(m * m + n * n)
    }
  })
})
