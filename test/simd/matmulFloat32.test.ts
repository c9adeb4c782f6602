import { describe, expect, it } from 'vitest'
import { matmulFloat32 } from '#simd'
import { firstDifference, words } from '../bf16/drawnCodes.js'
import { seed } from '../support/seed.js'

/** Bits, with every NaN as the canonical one: its sign and payload are not defined. */
const bitsOf = (values: Float32Array) =>
  Uint32Array.from(values, (x) =>
    Number.isNaN(x) ? 0x7fc00000 : new Uint32Array(Float32Array.of(x).buffer)[0]!,
  )

const near1 = (s: number, count: number) =>
  Float32Array.from(words(s, count), (word) => (word - 2 ** 31) / 2 ** 31)
const anyBits = (s: number, count: number) => new Float32Array(words(s, count).buffer)

describe(`matmulFloat32(a, b) (seed ${seed})`, () => {
  it.each([
    [1, 1, 1],
    [5, 3, 7],
    [13, 33, 21],
    [2, 1030, 11],
    [515, 5, 3],
    [6, 9, 1037],
    [34, 513, 40],
  ])('rounds every product and every sum, k ascending: %i x %i x %i', (m, k, n) => {
    for (const draw of [near1, anyBits]) {
      const a = draw(seed, m * k)
      const b = draw(seed + 1, k * n)
      const expected = Float32Array.from({ length: m * n }, (_, at) => {
        let sum = 0
        for (let p = 0; p < k; p++) {
          sum = Math.fround(sum + Math.fround(a[Math.floor(at / n) * k + p]! * b[p * n + (at % n)]!))
        }
        return sum
      })
      for (const engine of ['simd', 'plain'] as const) {
        const actual = matmulFloat32(a, b, { m, k, n }, undefined, engine)
        expect(firstDifference(bitsOf(actual), bitsOf(expected))).toBeUndefined()
      }
    }
  })

  it.each(['simd', 'plain'] as const)('may write over an operand, and gives +0 when k is 0, %s', (engine) => {
    const own = Float32Array.of(1, 2, 3, 4)
    matmulFloat32(own, own, { m: 2, k: 2, n: 2 }, own, engine)
    expect([...own]).toEqual([7, 10, 15, 22])
    const empty = new Float32Array(0)
    expect([...matmulFloat32(empty, empty, { m: 1, k: 0, n: 2 }, Float32Array.of(5, 5), engine)]).toEqual([
      0, 0,
    ])
  })

  it('throws on lengths that differ from the sizes', () => {
    const a = new Float32Array(6)
    expect(() => matmulFloat32(a, a, { m: 2, k: 3, n: 3 })).toThrow(
      new RangeError('matmulFloat32: lengths differ from the sizes [6 and 6 for 2 x 3 times 3 x 3]'),
    )
    expect(() => matmulFloat32(a, a, { m: 2, k: 3, n: 2 }, a)).toThrow(
      new RangeError('matmulFloat32: out has another length than the result [6, not 4]'),
    )
  })
})
