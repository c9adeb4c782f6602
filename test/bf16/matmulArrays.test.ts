import { matmulArrays } from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { arena, matmulBlocks } from '#simd'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'
import { anyCodes, codesBetween, firstDifference } from './drawnCodes.js'

const engines = ['simd', 'plain'] as const

/** Shapes with every remainder of a tile, and more than one block in each direction. */
const shapes = [
  [1, 1, 1],
  [4, 8, 8],
  [5, 3, 7],
  [3, 17, 9],
  [7, 64, 15],
  [13, 33, 21],
  [1, 300, 1],
  [2, 1030, 11],
  [515, 5, 3],
  [6, 9, 1037],
  [34, 513, 40],
] as const

type Draw = (seed: number, count: number) => Uint16Array
const between =
  (low: number, high: number): Draw =>
  (s, count) =>
    codesBetween(s, count, low, high)
/** One code in eight from elsewhere: a few operands send some tiles, not all, the exact way. */
const sprinkled =
  (most: Draw, few: Draw): Draw =>
  (s, count) => {
    const other = few(s + 50, count)
    return most(s, count).map((code, i) => ((i * 2654435761) >>> 29 === 0 ? other[i]! : code))
  }
const ordinary = between(117, 130)
const families: readonly (readonly [string, Draw, Draw])[] = [
  ['ordinary', ordinary, ordinary],
  ['any bit patterns', anyCodes, anyCodes],
  ['any finite codes', between(0, 254), between(0, 254)],
  ['products near the float32 subnormals', between(40, 75), between(40, 75)],
  ['products far below float32', between(0, 30), between(0, 60)],
  ['products near the largest float32', between(185, 195), between(186, 195)],
  ['products far beyond float32', between(200, 254), between(200, 254)],
  ['subnormals by ordinary', between(0, 1), ordinary],
  ['some huge', sprinkled(ordinary, between(230, 254)), ordinary],
  ['some tiny', sprinkled(ordinary, between(0, 20)), sprinkled(ordinary, between(60, 90))],
  [
    'some zero, infinite and NaN',
    sprinkled(ordinary, between(255, 255)),
    sprinkled(ordinary, () => new Uint16Array(6e5)),
  ],
]

describe.each(engines)('matmulArrays(row, column), %s', (engine) => {
  it('equals the exact keys: every kind, every length', () => {
    const keys = new Columns('formats/dot_bfloat16')
    const cases = keys.facts['cases'] as { kind: string; n: number; offset: number }[]
    cases.forEach(({ kind, n, offset }, i) => {
      const a = keys.u16('a').subarray(offset, offset + n)
      const b = keys.u16('b').subarray(offset, offset + n)
      const [code] = matmulArrays(a, b, { m: 1, k: n, n: 1 }, undefined, engine)
      expect([kind, n, code]).toEqual([kind, n, keys.u16('dot_seq_f32_bf16')[i]])
    })
  })

  it('returns +0 when k is 0 and nothing when m or n is', () => {
    const empty = new Uint16Array(0)
    const out = new Uint16Array(6).fill(0xabcd)
    expect([...matmulArrays(empty, empty, { m: 2, k: 0, n: 3 }, out, engine)]).toEqual([0, 0, 0, 0, 0, 0])
    expect(matmulArrays(empty, new Uint16Array(6), { m: 0, k: 2, n: 3 }, undefined, engine)).toHaveLength(0)
    expect(matmulArrays(new Uint16Array(6), empty, { m: 3, k: 2, n: 0 }, undefined, engine)).toHaveLength(0)
  })

  it('adds a fused step where float32 multiplying would overflow or underflow', () => {
    const dot = (a: number[], b: number[]) =>
      matmulArrays(
        Uint16Array.from(a),
        Uint16Array.from(b),
        { m: 1, k: a.length, n: 1 },
        undefined,
        engine,
      )[0]
    // -max + 2^64 * 2^64 is finite, though 2^128 is not a float32.
    expect(dot([0xff7f, 0x5f80], [0x3f80, 0x5f80])).toBe(0x7b80)
    // -1.5 2^127 + 2.25 2^127, whatever way the exponent is shared out.
    for (let ea = 127; ea <= 254; ea++) {
      const [x, y] = [ea << 7, (381 - ea) << 7]
      expect(dot([0x8000 | x, x | 0x40], [y | 0x40, y | 0x40])).toBe(0x7ec0)
    }
    // A product of -2^-266 leaves -0 in the sum, which stays until something is added.
    expect(dot([0x8001], [0x0001])).toBe(0x8000)
    // In units of 2^-149, products of significands at exponent field 59: 8385 + 8320.5 is a tie that goes to 16706,
    // but with 8320.5 rounded first it is 16705. The others bring it to bfloat16's first tie, 32768, or one past it.
    const at59 = (significands: number[]) =>
      significands.map((x) => (x < 0 ? 0x8000 : 0) | (59 << 7) | (Math.abs(x) - 128))
    expect(dot(at59([129, 129, -128, 198]), at59([130, 129, 128, 245]))).toBe(0x0001)
  })

  it('may write over an operand', () => {
    const a = ordinary(seed, 400)
    const b = ordinary(seed + 1, 400)
    const sizes = { m: 20, k: 20, n: 20 }
    const expected = matmulArrays(a, b, sizes, undefined, 'plain')
    const left = a.slice()
    expect(firstDifference(matmulArrays(left, b, sizes, left, engine), expected)).toBeUndefined()
    const right = b.slice()
    expect(firstDifference(matmulArrays(a, right, sizes, right, engine), expected)).toBeUndefined()
  })

  it('throws on lengths that differ from the sizes', () => {
    const a = new Uint16Array(6)
    expect(() => matmulArrays(a, a, { m: 2, k: 3, n: 3 }, undefined, engine)).toThrow(
      new RangeError('matmulArrays: lengths differ from the sizes [6 and 6 for 2 x 3 times 3 x 3]'),
    )
    expect(() => matmulArrays(a, a, { m: 2, k: 3, n: 2 }, a, engine)).toThrow(
      new RangeError('matmulArrays: out has another length than the result [6, not 4]'),
    )
  })
})

describe.each(families)(`matmulArrays(a, b), %s (seed ${seed})`, (_, drawA, drawB) => {
  it.each(shapes)('is the same in simd and plain for %i x %i x %i', (m, k, n) => {
    const a = drawA(seed, m * k)
    const b = drawB(seed + 1, k * n)
    const sizes = { m, k, n }
    const expected = matmulArrays(a, b, sizes, undefined, 'plain')
    expect(firstDifference(matmulArrays(a, b, sizes), expected)).toBeUndefined()
  })
})

describe('the tiles of matmulBlocks', () => {
  const simd = arena('simd')!
  const slowTiles = (a: number, b: number) => {
    // Two terms: the first product, odd in its last place, and one that brings the sum back into range.
    const left = Uint16Array.of(0xff7f, a)
    const right = Uint16Array.of(0x3f80, b)
    const sizes = { m: 1, k: 2, n: 1 }
    const out = new Uint16Array(1)
    const slow = matmulBlocks(simd, 'codes', left, right, sizes, out)
    expect([a, b, ...out]).toEqual([a, b, ...matmulArrays(left, right, sizes, undefined, 'plain')])
    return slow
  }

  it('take the exact way only where a product can leave float32', () => {
    const ordinaryProduct = (a: Uint16Array, b: Uint16Array) =>
      matmulBlocks(simd, 'codes', a, b, { m: 64, k: 64, n: 64 }, new Uint16Array(4096))
    expect(ordinaryProduct(ordinary(seed, 4096), ordinary(seed + 1, 4096))).toBe(0)
    expect(ordinaryProduct(new Uint16Array(4096), ordinary(seed + 1, 4096))).toBe(0)
    expect(ordinaryProduct(between(255, 255)(seed, 4096), between(0, 254)(seed + 1, 4096))).toBe(0)
    const one = ordinary(seed, 4096)
    // Exponent fields 2 + 117 = 119 are enough; with 1 or 254 the band of four rows is exact in its 8 panels.
    const counts = [0x0100, 0x0001, 0x7f7f].map((code) => {
      one[70] = code
      return ordinaryProduct(one, ordinary(seed + 1, 4096))
    })
    expect(counts).toEqual([0, 8, 8])
  })

  it('do not take it for what lay in the arena before', () => {
    for (const [m, k, n] of shapes) {
      // All the room for operands.
      new Uint8Array(simd.buffer, 0x04_0000).fill(0x7f)
      const slow = matmulBlocks(
        simd,
        'codes',
        ordinary(1, m * k),
        ordinary(2, k * n),
        { m, k, n },
        new Uint16Array(m * n),
      )
      expect([m, k, n, slow]).toEqual([m, k, n, 0])
    }
  })

  it('are exact for every pair of exponents', () => {
    let slow = 0
    for (let ea = 0; ea < 255; ea++) {
      for (let eb = 0; eb < 255; eb += ea > 100 && ea < 150 ? 1 : 3) {
        slow += slowTiles((ea << 7) | 0x7f, (eb << 7) | 0x7d)
      }
    }
    expect(slow).toBeGreaterThan(0)
  })
})
