import { describe, expect, it } from 'vitest'
import { matmulFloat64, matmulInt32 } from '#simd'
import { words } from '../bf16/drawnCodes.js'
import { seed } from '../support/seed.js'

const shapes = [
  [1, 1, 1],
  [5, 3, 7],
  [13, 33, 21],
  [2, 1030, 11],
  [259, 5, 3],
  [6, 9, 517],
  [34, 257, 40],
] as const

const near1 = (s: number, count: number) =>
  Float64Array.from(words(s, count), (word, i) => ((word - 2 ** 31) / 2 ** 31) * (1 + i * 2 ** -40))
const anyBits = (s: number, count: number) => new Float64Array(words(s, 2 * count).buffer)
const hard = (s: number, count: number) => {
  const some = [0, -0, Infinity, -Infinity, Number.NaN, 5e-324, -3e-320, 2 ** -1022, 1e308, -1e-160, 1, -1]
  return Float64Array.from(words(s, count), (word) => some[word % some.length]!)
}

/** Bits, with every NaN as the canonical one: its sign and payload are not defined. */
const bitsOf = (values: Float64Array) =>
  new BigUint64Array(Float64Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : x)).buffer)

function plain(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  [m, k, n]: readonly [number, number, number],
  step: (sum: number, x: number, y: number) => number,
): number[] {
  return Array.from({ length: m * n }, (_, at) => {
    let sum = 0
    for (let p = 0; p < k; p++) sum = step(sum, a[Math.floor(at / n) * k + p]!, b[p * n + (at % n)]!)
    return sum
  })
}

describe(`matmulFloat64(a, b) (seed ${seed})`, () => {
  it.each(shapes)('rounds every product and every sum, k ascending: %i x %i x %i', (m, k, n) => {
    for (const draw of [near1, anyBits, hard]) {
      const [a, b] = [draw(seed, m * k), draw(seed + 1, k * n)]
      const expected = Float64Array.from(plain(a, b, [m, k, n], (sum, x, y) => sum + x * y))
      for (const engine of ['simd', 'plain'] as const) {
        expect(bitsOf(matmulFloat64(a, b, { m, k, n }, undefined, engine))).toEqual(bitsOf(expected))
      }
    }
  })

  it('takes float32 operands, whose products it keeps whole', () => {
    const [m, k, n] = [7, 300, 9]
    const a = Float32Array.from(near1(seed, m * k))
    const b = Float32Array.from(near1(seed + 1, k * n))
    const expected = Float64Array.from(plain(a, b, [m, k, n], (sum, x, y) => sum + x * y))
    for (const engine of ['simd', 'plain'] as const) {
      expect(matmulFloat64(a, b, { m, k, n }, undefined, engine)).toEqual(expected)
    }
  })

  it.each(['simd', 'plain'] as const)('may write over an operand, and gives +0 when k is 0, %s', (engine) => {
    const own = Float64Array.of(1, 2, 3, 4)
    matmulFloat64(own, own, { m: 2, k: 2, n: 2 }, own, engine)
    expect([...own]).toEqual([7, 10, 15, 22])
    const empty = new Float64Array(0)
    expect([...matmulFloat64(empty, empty, { m: 1, k: 0, n: 2 }, Float64Array.of(5, 5), engine)]).toEqual([
      0, 0,
    ])
  })

  it('throws on lengths that differ from the sizes', () => {
    const a = new Float64Array(6)
    expect(() => matmulFloat64(a, a, { m: 2, k: 3, n: 3 })).toThrow(
      new RangeError('matmulFloat64: lengths differ from the sizes [6 and 6 for 2 x 3 times 3 x 3]'),
    )
    expect(() => matmulFloat64(a, a, { m: 2, k: 3, n: 2 }, a)).toThrow(
      new RangeError('matmulFloat64: out has another length than the result [6, not 4]'),
    )
  })
})

describe(`matmulInt32(a, b) (seed ${seed})`, () => {
  it.each(shapes)('is the product of integers modulo 2^32: %i x %i x %i', (m, k, n) => {
    const a = new Int32Array(words(seed, m * k).buffer)
    const b = new Int32Array(words(seed + 1, k * n).buffer)
    const expected = Array.from({ length: m * n }, (_, at) => {
      let sum = 0n
      for (let p = 0; p < k; p++) sum += BigInt(a[Math.floor(at / n) * k + p]!) * BigInt(b[p * n + (at % n)]!)
      return Number(BigInt.asIntN(32, sum))
    })
    for (const engine of ['simd', 'plain'] as const) {
      expect([...matmulInt32(a, b, { m, k, n }, undefined, engine)]).toEqual(expected)
    }
  })
})
