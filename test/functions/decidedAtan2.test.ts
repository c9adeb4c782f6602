import { encode } from 'tpu-toolkit/formats'
import { decidedAtan2 } from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'

// The answers of MPFR are in decidedPow.test.ts.
describe('decidedAtan2', () => {
  it('decidedAtan2(3 * 2^-133, 2) is below the tie of the bfloat16 codes 1 and 2', () => {
    expect(encode(Math.atan2(3 * 2 ** -133, 2), 'bfloat16')).toBe(2)
    expect(encode(decidedAtan2(3 * 2 ** -133, 2), 'bfloat16')).toBe(1)
    expect(encode(decidedAtan2(-3 * 2 ** -133, 2), 'bfloat16')).toBe(0x8001)
  })
  it('decidedAtan2(a, b) has the quadrants and zeros of C99 Annex F', () => {
    expect([decidedAtan2(0, 1), decidedAtan2(-0, 1), decidedAtan2(0, -1), decidedAtan2(-0, -0)]).toEqual([
      0,
      -0,
      Math.PI,
      -Math.PI,
    ])
    expect([
      decidedAtan2(Infinity, -Infinity),
      decidedAtan2(-1, Infinity),
      decidedAtan2(Number.NaN, 1),
    ]).toEqual([(3 * Math.PI) / 4, -0, Number.NaN])
  })
})
