import { hbmLayout, matmulPadding, padding } from 'tpu-toolkit/mxu'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'

interface MxuKey {
  readonly kind: 'head_dim' | 'matmul'
  readonly mxu: number
  readonly head_dim: number
  readonly waste: number
  readonly tiles: number
  readonly M: number
  readonly K: number
  readonly N: number
  readonly padded: number | readonly number[]
  readonly useful_macs: number
  readonly padded_macs: number
  readonly utilisation: number
  readonly weight_utilisation: number
  readonly passes: number
  readonly cycles_one_mxu: number
}
const { cases }: { readonly cases: readonly MxuKey[] } = JSON.parse(readText('test/golden/planning/mxu.json'))

interface LayoutKey {
  readonly dtype: 'float32'
  readonly shape: readonly number[]
  readonly minor_to_major: readonly number[]
  readonly tile: string
  readonly bytes: number
}
const layouts: { readonly cases: readonly LayoutKey[] } = JSON.parse(
  readText('test/golden/planning/layout.json'),
)

type LayoutRow = readonly [
  chip: string,
  dtype: 'float32',
  shape: readonly number[],
  bytes: number,
  minorToMajor: readonly number[],
]
const drawn: { readonly cases: readonly LayoutRow[] } = JSON.parse(
  readText('test/golden/planning/layout_more.json'),
)

describe('padding(size, side)', () => {
  it.each(cases.filter(({ kind }) => kind === 'head_dim'))(
    '$head_dim on $mxu wastes $waste',
    ({ head_dim, mxu, padded, waste, tiles }) => {
      expect(padding(head_dim, mxu)).toEqual({ size: head_dim, padded, tiles, waste })
    },
  )

  it('a head of 192 wastes 25 %, not 50 %; on 256 a head of 128 wastes 50 %', () => {
    expect([padding(192, 128).waste, padding(192, 256).waste, padding(128, 256).waste]).toEqual([
      0.25, 0.25, 0.5,
    ])
  })

  it('refuses what is no size', () => {
    expect(() => padding(0, 128)).toThrow('padding: size is not a whole number, 1 or more [0]')
    expect(() => padding(64, 0.5)).toThrow('padding: side is not a whole number, 1 or more [0.5]')
  })
})

describe('matmulPadding({ m, k, n })', () => {
  it.each(cases.filter(({ kind }) => kind === 'matmul'))(
    '[$M, $K] x [$K, $N] on $mxu has the utilisation of the key',
    ({ M, K, N, mxu, ...key }) => {
      expect(matmulPadding({ m: M, k: K, n: N, side: mxu })).toEqual({
        padded: key.padded,
        usefulMacs: key.useful_macs,
        paddedMacs: key.padded_macs,
        utilisation: key.utilisation,
        weightUtilisation: key.weight_utilisation,
        passes: key.passes,
        cyclesOneMxu: key.cycles_one_mxu,
      })
    },
  )

  it('options are checked', () => {
    expect(() => matmulPadding({ m: 1, k: 2 } as never)).toThrow('matmulPadding: option n is missing [m, k]')
    expect(() => matmulPadding({ m: 1, k: 2, n: -3 })).toThrow(
      'matmulPadding: n is not a whole number, 1 or more [-3]',
    )
  })
})

describe('hbmLayout(shape, dtype)', () => {
  it.each(layouts.cases)('$dtype [$shape] takes $bytes bytes, as the compiler lays it out', (key) => {
    const { bytes, tile, minorToMajor } = hbmLayout(key.shape, key.dtype)
    expect(bytes).toBe(key.bytes)
    expect(minorToMajor).toEqual(key.minor_to_major)
    expect(`T(${tile.join(',')})`).toBe(/^T\([\d,]+\)/.exec(key.tile)?.[0])
  })

  it('agrees with the compiler on 500 drawn shapes of five generations: bytes and order, no miss', () => {
    const misses = drawn.cases.filter(([, dtype, shape, bytes, order]) => {
      const layout = hbmLayout(shape, dtype)
      return layout.bytes !== bytes || layout.minorToMajor.join() !== order.join()
    })
    expect(misses).toEqual([])
    expect(drawn.cases.length).toBe(500)
  })

  it('bfloat16 pads to 8 rows, not to the 16 of a Pallas tile', () => {
    expect(hbmLayout([24, 384], 'bfloat16').bytes).toBe(24 * 384 * 2)
  })

  it('is aligned to 512 bytes at least, not to 128', () => {
    expect([[], [1], [1, 1], [1, 1, 1]].map((shape) => hbmLayout(shape, 'float32').bytes)).toEqual([
      512, 512, 512, 512,
    ])
  })

  it('an array without elements takes nothing', () => {
    expect(hbmLayout([0], 'float32').bytes).toBe(0)
    expect(hbmLayout([0, 128], 'bfloat16').bytes).toBe(0)
  })

  it('refuses what is no shape or dtype', () => {
    expect(() => hbmLayout(8 as never, 'float32')).toThrow(TypeError)
    expect(() => hbmLayout([8, 1.5], 'float32')).toThrow(
      'hbmLayout: a size of the shape is not a whole number, 0 or more [1.5]',
    )
    expect(() => hbmLayout([8], 'bf16' as never)).toThrow(
      'bitsOf: unknown dtype, did you mean bfloat16 [bf16]',
    )
  })
})
