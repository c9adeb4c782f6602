import { decodeTable, encoder } from 'tpu-toolkit/formats'
import { decidedAtan2, decidedPow } from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

describe.each(['bfloat16', 'float16'] as const)('%s', (format) => {
  const key = new Columns(`functions/binary_${format}`)
  const [a, b] = [key.u16('a'), key.u16('b')]
  const values = decodeTable(format)
  const encode = encoder(format)

  it.each([
    ['decidedAtan2', 'atan2', decidedAtan2, Math.atan2],
    ['decidedPow', 'pow', decidedPow, Math.pow],
  ] as const)(
    "%s(a, b) rounds to MPFR's code, where the engine's does not always",
    (_, column, decided, plain) => {
      const expected = key.u16(column)
      let plainWrong = 0
      for (let i = 0; i < a.length; i++) {
        const [x, y] = [values[a[i]!]!, values[b[i]!]!]
        if (encode(decided(x, y)) !== expected[i]) {
          expect([x, y, encode(decided(x, y))]).toEqual([x, y, expected[i]])
        }
        if (encode(plain(x, y)) !== expected[i]) plainWrong++
      }
      if (column === 'atan2' && format === 'bfloat16') expect(plainWrong).toBeGreaterThan(0)
    },
  )
})

describe('decidedPow', () => {
  it('decidedPow(a, b) is exact where the power has few bits, roots included', () => {
    expect([decidedPow(9, 1.5), decidedPow(2.25, 0.5), decidedPow(3, 11), decidedPow(-3, 5)]).toEqual([
      27, 1.5, 177147, -243,
    ])
    expect([decidedPow(2, -134), decidedPow(16, -0.75), decidedPow(256, 0.125)]).toEqual([
      2 ** -134,
      0.125,
      2,
    ])
  })
  it('decidedPow(a, b) next to 1 is not 1', () => {
    expect(decidedPow(1 + 2 ** -7, 2 ** -130)).toBe(1 + 2 ** -52)
    expect(decidedPow(1 - 2 ** -8, 2 ** -130)).toBe(1 - 2 ** -53)
  })
  it('decidedPow(a, b) has the special values of IEEE 754', () => {
    const nan = Number.NaN
    const cases = [
      [1, nan, 1],
      [nan, 0, 1],
      [-1, -Infinity, 1],
      [0, -1, Infinity],
      [-0, -1, -Infinity],
      [-0, 3, -0],
      [-0, 2, 0],
      [-8, 0.5, nan],
      [-Infinity, 0.5, Infinity],
      [-0, 0.5, 0],
      [0.5, Infinity, 0],
      [nan, 2, nan],
      [2, nan, nan],
    ] as const
    for (const [a, b, power] of cases) expect([a, b, decidedPow(a, b)]).toEqual([a, b, power])
  })
})
