import fc from 'fast-check'
import { aliveCells, perceive, perceptionKernels } from 'tpu-toolkit/nca'
import { key, normal } from 'tpu-toolkit/random'
import { cast, fromBits, roll, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const drawn = (shape: readonly number[], from: number) => {
  const n = shape.reduce((size, length) => size * length, 1)
  return tensor(normal(key(from), n), { shape: [...shape] })
}

describe(`perceive (seed ${seed})`, () => {
  it('sees channels of the first kernel first, each by its own weights', () => {
    const x = tensor([
      [1, 10],
      [2, 20],
      [4, 40],
    ])
    expect(perceive(x, { dimensions: 1, kernels: ['gradient', 'identity'] }).toNested()).toEqual([
      [1, 10, 1, 10],
      [1.5, 15, 2, 20],
      [-1, -10, 4, 40],
    ])
    expect(perceive(x, { dimensions: 1, kernels: [[0, 0, 1]], padding: 'wrap' }).toNested()).toEqual([
      [2, 20],
      [4, 40],
      [1, 10],
    ])
  })

  it('has kernels whose weights add up to 0 but for the identity: a constant has no slope', () => {
    for (const dimensions of [1, 2] as const) {
      const kernels = Object.entries(perceptionKernels(dimensions))
      for (const [name, kernel] of kernels) {
        const total = kernel.flat().reduce((sum, weight) => sum + weight, 0)
        expect([name, total]).toEqual([name, name === 'identity' ? 1 : 0])
      }
    }
  })

  it('moves with its cells on a ring and on a torus, bit for bit', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(5), fc.nat(1000), (dy, dx, from) => {
        const x = drawn([7, 6, 2], from)
        const moved = roll(roll(x, dy, { axis: 0 }), dx, { axis: 1 })
        const seen = roll(roll(perceive(x, { padding: 'wrap' }), dy, { axis: 0 }), dx, { axis: 1 })
        expect(perceive(moved, { padding: 'wrap' }).toBits()).toEqual(seen.toBits())
      }),
      { seed, numRuns: 30 },
    )
  })

  it('sees every state of a batch as if it were alone', () => {
    const x = drawn([3, 2, 5, 4, 2], 1)
    const seen = perceive(x, { dtype: 'bfloat16' }).toNumbers()
    const alone = Array.from({ length: 6 }, (_, i) => {
      const one = tensor(x.toNumbers().subarray(i * 40, (i + 1) * 40), { shape: [5, 4, 2] })
      return Array.from(perceive(one, { dtype: 'bfloat16' }).toNumbers())
    })
    expect(Array.from(seen)).toEqual(alone.flat())
  })

  it('does not read a neighbour whose weight is 0, and turns -0 into +0', () => {
    const x = tensor([[Number.NaN], [-0], [Number.POSITIVE_INFINITY], [1]])
    const seen = perceive(x, { dimensions: 1, kernels: ['identity', 'gradient'] }).toNumbers()
    expect(Array.from(seen)).toEqual([
      Number.NaN,
      0,
      0,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      0.5,
      1,
      Number.NEGATIVE_INFINITY,
    ])
  })

  it('says what is wrong', () => {
    const x = tensor([[1], [2]])
    expect(() => perceive(x)).toThrow(
      'perceive: x has not two axes of cells, write { dimensions: 1 } for a line, and one of channels [2, 1]',
    )
    expect(() => perceive(x, { dimensions: 1, kernels: ['sobelX'] })).toThrow('unknown kernel of a line')
    expect(() => perceive(x, { dimensions: 1, kernels: [] })).toThrow('perceive: kernels are not a list')
    expect(() => perceive(x, { dimensions: 1, kernels: [[1, 2]] })).toThrow(
      '3 weights along each of 1 axes [1, 2]',
    )
    expect(() => perceive(x, { dimensions: 1, kernels: [[0, 0, 0]] })).toThrow('no weight but 0')
    expect(() => perceive(x, { dimensions: 1, padding: 'same' as 'zero' })).toThrow('unknown padding')
    expect(() => perceive(cast(x, 'int32'), { dimensions: 1 })).toThrow(TypeError)
    expect(() => perceive(x, { dimensions: 3 as 2 })).toThrow(RangeError)
  })
})

describe('aliveCells', () => {
  it('finds the cells within one of a living one, corners too', () => {
    const x = tensor([0, 0, 0, 0, 0, 0, 0, 0, 0.2, 0, 0, 0], { shape: [3, 4, 1] })
    const rows = (wrap: 'zero' | 'wrap') => {
      const lives = aliveCells(x, { channel: 0, padding: wrap }).toNumbers()
      return [0, 1, 2].map((row) => Array.from(lives.subarray(4 * row, 4 * row + 4)).join(''))
    }
    expect(rows('zero')).toEqual(['0000', '1100', '1100'])
    expect(rows('wrap')).toEqual(['1101', '1101', '1101'])
  })

  it('compares with the threshold rounded to the dtype: 0.1 is 0.10009765625 in bfloat16', () => {
    const codes = { next: 0x3dce, same: 0x3dcd }
    const lives = (code: number) =>
      aliveCells(fromBits(Uint16Array.of(code), { shape: [1, 1], dtype: 'bfloat16' }), {
        dimensions: 1,
        channel: 0,
      }).item()
    expect([lives(codes.same), lives(codes.next)]).toEqual([0, 1])
  })

  it('lets nothing live beyond the ends, nor NaN, and does not ask for an infinity', () => {
    const x = tensor([[Number.NaN], [-1], [-1]], { dtype: 'float8_e4m3fn' })
    const low = { dimensions: 1, channel: 0, threshold: -4 } as const
    expect(aliveCells(x, low).toNested()).toEqual([true, true, true])
    expect(aliveCells(tensor([[Number.NaN], [-8]]), low).toNested()).toEqual([false, false])
    expect(() => aliveCells(x, { dimensions: 1 })).toThrow('channel is not a whole number from 0 to 0 [3]')
  })
})
