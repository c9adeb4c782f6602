import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { grad } from 'tpu-toolkit/autodiff'
import { fromTiles, type TileOptions, toTiles } from 'tpu-toolkit/kernels'
import { mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface Case {
  readonly case: string
  readonly source: readonly number[]
  readonly shape: readonly number[]
  readonly tile: readonly [number, number]
  readonly pack?: number
  readonly padding: number
  readonly sha256: string
}

const key = new Columns('kernels/layout')
const cases = key.facts['cases'] as readonly Case[]
const size = (shape: readonly number[]): number => shape.reduce((n, length) => n * length, 1)
const optionsOf = ({ tile, pack }: Case): TileOptions => ({ tile, ...(pack === undefined ? {} : { pack }) })

describe('toTiles against NumPy', () => {
  it.each(cases)('toTiles moves the elements of $case', (one) => {
    // Places counted from 1, so that padding is 0: one less, as uint32, is the key's map.
    const places = tensor(
      Int32Array.from({ length: size(one.source) }, (_, i) => i + 1),
      {
        shape: one.source,
        dtype: 'int32',
      },
    )
    const tiles = toTiles(places, optionsOf(one))
    expect(tiles.shape).toEqual(one.shape)
    const map = Uint32Array.from(tiles.data, (place) => place - 1)
    expect(map.filter((place) => place === 4294967295).length).toBe(one.padding)
    expect(createHash('sha256').update(map).digest('hex')).toBe(one.sha256)
    const names = key.facts.columns.map(({ name }) => name)
    if (names.includes(`${one.case}_map`)) {
      expect(map).toEqual(key.u32(`${one.case}_map`))
    } else {
      const at = key.u32(`${one.case}_at`)
      expect(Uint32Array.from(at, (place) => map[place]!)).toEqual(key.u32(`${one.case}_source`))
    }
    expect(fromTiles(tiles, { ...optionsOf(one), shape: one.source }).toBits()).toEqual(places.toBits())
  })
})

const side = fc.integer({ min: 1, max: 9 })
const matrices = fc.record({
  r: side,
  c: side,
  rows: side,
  columns: side,
  pack: fc.integer({ min: 1, max: 3 }),
})

describe(`tiles, properties (seed ${seed})`, () => {
  const arrays = fc.oneof(
    matrices.map(({ r, c, rows, columns, pack }) => ({
      shape: [r, c],
      options: { tile: [rows * pack, columns] as const, pack },
    })),
    matrices.map(({ r, c, rows, columns, pack }) => ({
      shape: [pack, r, c, 2],
      options: { tile: [rows, columns] as const },
    })),
  )
  it('fromTiles brings back what toTiles took, padding is 0 and nothing is there twice', () => {
    fc.assert(
      fc.property(arrays, ({ shape, options }) => {
        const x = tensor(
          Float32Array.from({ length: size(shape) }, (_, i) => i + 1),
          { shape },
        )
        const tiles = toTiles(x, options)
        expect([...tiles.data].filter((v) => v !== 0).sort((p, q) => p - q)).toEqual([...x.data])
        expect(fromTiles(tiles, { ...options, shape }).toBits()).toEqual(x.toBits())
        const g = grad((v: typeof x): Tensor => sum(mul(toTiles(v, options), tiles)))(x)
        expect(g.toBits()).toEqual(x.toBits())
      }),
      { seed, numRuns: 100 },
    )
  })
})

describe('tiles, wrong arguments', () => {
  const x = tensor([[1, 2]])
  const wrong: readonly [() => unknown, string][] = [
    [() => toTiles(x, { tile: [0, 1] }), 'toTiles: tile is not a whole number, 1 or more [0]'],
    [() => toTiles(x, { tile: [3, 1], pack: 2 }), 'toTiles: pack does not divide the rows of a tile [2]'],
    [() => toTiles(tensor([1]), { tile: [1, 1] }), 'toTiles: neither a matrix nor images [b, h, w, c] [1]'],
    [() => fromTiles(x, { tile: [1, 1], shape: [1, 2] }), 'fromTiles: tiles are not [1, 2, 1, 1, 1] [1, 2]'],
    [
      () => toTiles(tensor([1], { shape: [1, 1, 1, 1] }), { tile: [2, 1], pack: 2 }),
      'toTiles: images are not packed [2]',
    ],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
