import { inflateSync } from 'node:zlib'
import { cellsPng, damageCircle, drawCircle, drawPicture, SamplePool, seedState } from 'tpu-toolkit/nca'
import { key } from 'tpu-toolkit/random'
import { tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('SamplePool', () => {
  const pool = new SamplePool(
    tensor(
      Array.from({ length: 12 }, (_, i) => i),
      { shape: [6, 2, 1] },
    ),
  )

  it('draws different places, the same from the same key', () => {
    for (let i = 0; i < 20; i++) {
      const places = pool.sample(key(i), 4)
      expect(new Set(places).size).toBe(4)
      expect(pool.sample(key(i), 4)).toEqual(places)
    }
  })

  it('puts states back where they were drawn, in another pool', () => {
    const next = pool.with(
      [4, 1],
      tensor([
        [[-1], [-2]],
        [[-3], [-4]],
      ]),
    )
    expect(next.at([1, 4, 5]).toNested()).toEqual([
      [[-3], [-4]],
      [[-1], [-2]],
      [[10], [11]],
    ])
    expect(pool.at([4]).toNested()).toEqual([[[8], [9]]])
    expect(next.size).toBe(6)
  })

  it('begins with as many copies of a state as were asked for', () => {
    const seeds = SamplePool.of(seedState({ shape: [2, 2], channels: 4 }), 3)
    expect(seeds.states.shape).toEqual([3, 2, 2, 4])
    expect(seeds.at([2]).toNumbers().slice(12)).toEqual(Float64Array.of(0, 0, 0, 1))
  })

  it('says what is wrong', () => {
    expect(() => pool.sample(key(0), 7)).toThrow('SamplePool: n is not a whole number from 1 to 6 [7]')
    expect(() => pool.at([6])).toThrow('a place is not a whole number from 0 to 5 [6]')
    expect(() => pool.at([])).toThrow('places are not a list')
    expect(() => pool.with([1, 1], zeros([2, 2, 1]))).toThrow('a place is named twice [1, 1]')
    expect(() => pool.with([1], zeros([1, 2, 2]))).toThrow('not those of 1 places')
    expect(() => pool.with([1], zeros([1, 2, 1], { dtype: 'bfloat16' }))).toThrow(TypeError)
    expect(() => new SamplePool(zeros([3]))).toThrow('no states of cells with channels [3]')
  })
})

describe('damageCircle', () => {
  it('clears what is inside, by choice: no NaN and no -0 stays', () => {
    const x = tensor([Number.NaN, -1, 1, 1, 1, 1, 1, 1, 1], { shape: [3, 3, 1] })
    const hurt = damageCircle(x, { center: [-1, -1], radius: 1.2 })
    expect(hurt.toNested()).toEqual([
      [[0], [0], [1]],
      [[0], [1], [1]],
      [[1], [1], [1]],
    ])
    expect(Array.from(hurt.toNumbers()).some((value) => Object.is(value, -0))).toBe(false)
    expect(damageCircle(x, { center: [0, 0], radius: 0 }).toBits()).toEqual(x.toBits())
    // A cell on the circle stays.
    expect(damageCircle(tensor([[1], [2], [3], [4], [5]]), { center: [0], radius: 0.5 }).toNumbers()).toEqual(
      Float64Array.of(1, 2, 0, 4, 5),
    )
  })

  it('draws circles as published: centers within half, radius 0.1 to 0.4', () => {
    const circles = Array.from({ length: 200 }, (_, i) => drawCircle(key(i), 2))
    expect(circles.every(({ radius }) => radius >= 0.1 && radius < 0.4)).toBe(true)
    expect(circles.flatMap(({ center }) => center).every((at) => at >= -0.5 && at < 0.5)).toBe(true)
    expect(() => drawCircle(key(0), 3 as 2)).toThrow('dimensions are not 1 or 2 [3]')
    expect(() => damageCircle(zeros([3, 1]), { center: [0, 0], radius: 1 })).toThrow(RangeError)
    expect(() => damageCircle(zeros([3, 1]), { center: [0], radius: -1 })).toThrow(
      'radius is not a finite number',
    )
  })
})

describe('seedState', () => {
  it('has one cell that lives, with all but its colours', () => {
    const x = seedState({ shape: [4, 4], channels: 6, dtype: 'bfloat16' }).toNumbers()
    expect(x.reduce((sum, value) => sum + value, 0)).toBe(3)
    expect(Array.from(x.slice((2 * 4 + 2) * 6, (2 * 4 + 3) * 6))).toEqual([0, 0, 0, 1, 1, 1])
    expect(() => seedState({ shape: [2, 2, 2], channels: 4 })).toThrow(
      'shape is not one length or two [2, 2, 2]',
    )
  })
})

describe('drawPicture', () => {
  it.each(['flower', 'face'] as const)(
    'leaves the margin of the %s empty, and no colour exceeds its opacity',
    (name) => {
      const picture = drawPicture(name, { size: 20, margin: 4 })
      const values = picture.toNumbers()
      for (let i = 0; i < 400; i++) {
        const [row, column] = [Math.floor(i / 20), i % 20]
        const [red, green, blue, opacity] = Array.from(values.subarray(4 * i, 4 * i + 4))
        const inside = Math.min(row, column, 19 - row, 19 - column) >= 4
        if (!inside) expect(opacity).toBe(0)
        expect(Math.max(red!, green!, blue!)).toBeLessThanOrEqual(opacity!)
        expect(opacity).toBeLessThanOrEqual(1)
      }
      // A whole number of points was counted.
      expect(
        Array.from(values)
          .filter((_, i) => i % 4 === 3)
          .every((opacity) => Number.isInteger(16 * opacity)),
      ).toBe(true)
    },
  )
})

describe('cellsPng', () => {
  it('is a PNG that zlib reads back, pixel by pixel', () => {
    const x = tensor([1, 0, 0, 1, 0.25, 0.5, 0, 0.5, Number.NaN, 0, 0, 2, 9, 9, 9, -1], {
      shape: [2, 1, 2, 4],
    })
    const png = Buffer.from(cellsPng(x, { scale: 2 }))
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([8, 2])
    const at = png.indexOf('IDAT')
    const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
    const pixels = [0, 2, 4, 6].map((i) => Array.from(rows.subarray(1 + 4 * i, 5 + 4 * i)))
    expect(pixels).toEqual([
      [255, 0, 0, 255],
      [128, 255, 0, 128],
      [0, 0, 0, 255],
      [0, 0, 0, 0],
    ])
    expect(rows.length).toBe(2 * (1 + 4 * 8))
  })
})
