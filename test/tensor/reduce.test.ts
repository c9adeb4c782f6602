import {
  arange,
  argmax,
  argmin,
  cumprod,
  cumsum,
  fromBits,
  max,
  mean,
  min,
  ones,
  reshape,
  slice,
  sum,
  tensor,
  transpose,
  zeros,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const grid = reshape(arange(0, 24), [2, 3, 4])

describe('sum and mean', () => {
  it('reduce one axis, several, or all, negative ones too', () => {
    expect(sum(grid).item()).toBe(276)
    expect(sum(grid, { axis: 0 }).toNested()).toEqual([
      [12, 14, 16, 18],
      [20, 22, 24, 26],
      [28, 30, 32, 34],
    ])
    expect(sum(grid, { axis: [0, -1] }).toNested()).toEqual([60, 92, 124])
    expect(sum(grid, { axis: 1, keepDims: true }).shape).toEqual([2, 1, 4])
    expect(mean(grid, { axis: [1, 2] }).toNested()).toEqual([5.5, 17.5])
    expect(sum(tensor(3)).item()).toBe(3)
    expect(sum(grid, { axis: [] }).toNested()).toEqual(grid.toNested())
  })

  it('of nothing are +0 and NaN', () => {
    expect(sum(zeros([0])).item()).toBe(0)
    expect(sum(zeros([2, 0]), { axis: 1 }).toNested()).toEqual([0, 0])
    expect(sum(zeros([0, 2]), { axis: 1 }).shape).toEqual([0])
    expect(mean(zeros([0], { dtype: 'bfloat16' })).toBits()).toEqual(Uint16Array.of(0x7fc0))
  })

  it('accumulate in float32 by default, in another dtype when it is named', () => {
    const x = ones([1000], { dtype: 'bfloat16' })
    expect(sum(x).item()).toBe(1000)
    expect(sum(x, { accumulate: 'bfloat16' }).item()).toBe(256)
    expect(mean(x).item()).toBe(1)
    expect(mean(x, { accumulate: 'bfloat16' }).item()).toBe(0.255859375)
    expect(sum(ones([3000], { dtype: 'float16' })).item()).toBe(3000)
    expect(sum(ones([3000], { dtype: 'float16' }), { accumulate: 'float16' }).item()).toBe(2048)
    expect(sum(tensor([1, 2 ** -30], { dtype: 'float32' }), { accumulate: 'float64' }).item()).toBe(1)
  })

  it('round elements to a narrower accumulation dtype before they are added', () => {
    const x = tensor([256, 1 + 2 ** -40], { dtype: 'float64' })
    expect(sum(x, { accumulate: 'bfloat16' }).item()).toBe(256)
    expect(cumsum(x, { accumulate: 'bfloat16' }).toNested()).toEqual([256, 256])
    expect(sum(tensor([1 + 2 ** -10], { dtype: 'float16' }), { accumulate: 'bfloat16' }).item()).toBe(1)
  })

  it('mean divides by the exact count, not by one rounded to the dtype', () => {
    const x = fromBits(new Uint16Array(257).fill(0x3f80), { dtype: 'bfloat16' })
    expect(mean(x).item()).toBe(1)
    expect(mean(x, { accumulate: 'bfloat16' }).item()).toBe(0.99609375)
  })

  it('sum wraps integers and refuses bool; mean refuses integers', () => {
    expect(sum(tensor([2 ** 31 - 1, 1], { dtype: 'int32' })).item()).toBe(-(2 ** 31))
    expect(() => sum(tensor([true], { dtype: 'bool' }))).toThrow(
      new TypeError('sum: no arithmetic on bool, cast first [bool]'),
    )
    expect(() => mean(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('mean: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => sum(tensor([1], { dtype: 'int32' }), { accumulate: 'float32' })).toThrow(TypeError)
  })

  it('refuse unknown orders, axes and accumulation dtypes', () => {
    expect(() => sum(grid, { order: 'fast' as never })).toThrow(
      new RangeError(
        'sum: unknown order, there are sequential, pairwise, kahan, neumaier, associative [fast]',
      ),
    )
    expect(() => sum(grid, { order: { blocked: 1 } })).toThrow(
      new RangeError('sum: blocked needs a whole number above 1 [1]'),
    )
    expect(() => cumsum(grid, { order: { windowed: 32 } })).toThrow(
      new RangeError('cumsum: only sums go by windows [windowed 32]'),
    )
    expect(() => sum(grid, { axis: 3 })).toThrow(new RangeError('sum: axis outside 3 dimensions [3]'))
    expect(() => sum(grid, { axis: [0, -3] })).toThrow(new RangeError('sum: repeated axis [0,-3]'))
    expect(() => sum(grid, { accumulate: 'int32' as never })).toThrow(TypeError)
  })

  it('write into out', () => {
    const out = zeros([3, 4])
    expect(sum(grid, { axis: 0, out })).toBe(out)
    expect(out.data[11]).toBe(34)
    expect(() => sum(grid, { out })).toThrow(new RangeError('sum: out has another shape [3, 4, not ]'))
  })

  it.each([
    'sequential',
    'pairwise',
    'kahan',
    'neumaier',
    'associative',
    { blocked: 16 },
    { windowed: 32 },
  ] as const)('an overflow in order %j is Inf, never NaN', (order) => {
    const big = 3e38
    expect(sum(tensor([big, big, 1, 1, -1]), { order }).item()).toBe(Infinity)
    expect(sum(tensor([Infinity, 1, 1]), { order }).item()).toBe(Infinity)
    expect(sum(tensor([Infinity, -Infinity]), { order }).item()).toBeNaN()
    expect(sum(tensor([Number.NaN, 1]), { order }).item()).toBeNaN()
  })
})

describe('max, min, argmax, argmin', () => {
  it('find the element and its place along axes', () => {
    const x = tensor(
      [
        [3, 9, 2],
        [9, 1, 9],
      ],
      { dtype: 'bfloat16' },
    )
    expect(max(x, { axis: 1 }).toNested()).toEqual([9, 9])
    expect(min(x).item()).toBe(1)
    expect(argmax(x, { axis: 1 }).toNested()).toEqual([1, 0])
    expect(argmax(x).item()).toBe(1)
    expect(argmin(x, { axis: 0, keepDims: true }).toNested()).toEqual([[0, 1, 0]])
    expect(argmax(x).dtype).toBe('int32')
    expect(max(tensor([-3, 2], { dtype: 'int32' })).item()).toBe(2)
  })

  it('let the first NaN win and give it out canonical', () => {
    const x = fromBits([0x3f80, 0xffff, 0x7f81], { dtype: 'bfloat16' })
    expect([...max(x).data]).toEqual([0x7fc0])
    expect([...min(x).data]).toEqual([0x7fc0])
    expect(argmax(x).item()).toBe(1)
    expect(argmin(x).item()).toBe(1)
    expect([...max(fromBits(Uint32Array.of(0xffc12345), { dtype: 'float32' })).toBits()]).toEqual([
      0x7fc00000,
    ])
  })

  it('order zeros: max(-0, 0) is +0, min is -0, in either order', () => {
    for (const pair of [
      [-0, 0],
      [0, -0],
    ]) {
      expect(Object.is(max(tensor(pair)).item(), 0)).toBe(true)
      expect(Object.is(min(tensor(pair)).item(), -0)).toBe(true)
    }
  })

  it('refuse to choose from nothing', () => {
    expect(() => max(zeros([0]))).toThrow(new RangeError('max: no elements to choose from [0]'))
    expect(() => argmin(zeros([2, 0]), { axis: 1 })).toThrow(RangeError)
    expect(max(zeros([0, 2]), { axis: 1 }).shape).toEqual([0])
  })
})

describe('cumsum and cumprod', () => {
  it('run along any axis, the last by default', () => {
    expect(cumsum(grid).toNested()).toEqual([
      [
        [0, 1, 3, 6],
        [4, 9, 15, 22],
        [8, 17, 27, 38],
      ],
      [
        [12, 25, 39, 54],
        [16, 33, 51, 70],
        [20, 41, 63, 86],
      ],
    ])
    expect(cumsum(grid, { axis: 0 }).toNested()).toEqual(
      (grid.toNested() as number[][][]).map((m, i, all) =>
        m.map((row, j) => row.map((v, k) => (i ? v + all[0]![j]![k]! : v))),
      ),
    )
    expect(cumsum(tensor([1, 2, 3], { dtype: 'int32' })).toNested()).toEqual([1, 3, 6])
    expect(cumsum(tensor(5)).toNested()).toBe(5)
    expect(cumsum(zeros([0])).shape).toEqual([0])
  })

  it('cumsum in place gives the same as into fresh storage, in every order', () => {
    for (const order of [
      'sequential',
      'pairwise',
      'kahan',
      'neumaier',
      'associative',
      { blocked: 16 },
    ] as const) {
      for (const accumulate of ['bfloat16', 'float32'] as const) {
        const x = tensor(
          Float64Array.from({ length: 100 }, (_, i) => Math.sin(i)),
          { dtype: 'bfloat16' },
        )
        const fresh = cumsum(x, { order, accumulate })
        expect([...cumsum(x, { order, accumulate, out: x }).data]).toEqual([...fresh.data])
      }
    }
  })

  it('cumsum of a column equals cumsum of the same row, fast path or not', () => {
    const row = tensor(
      Float64Array.from({ length: 300 }, (_, i) => Math.cos(i) + 0.3),
      { dtype: 'bfloat16' },
    )
    for (const accumulate of ['bfloat16', 'float32'] as const) {
      const down = cumsum(reshape(row, [300, 1]), { axis: 0, accumulate })
      expect([...down.data]).toEqual([...cumsum(row, { accumulate }).data])
      expect([...sum(reshape(row, [300, 1]), { axis: 0, accumulate }).data]).toEqual([
        ...sum(row, { accumulate }).data,
      ])
    }
  })

  it.each(['bfloat16', 'float32', 'float16'] as const)(
    'sum of %s over a leading or middle axis equals the sum of each lane on its own, bit for bit',
    (dtype) => {
      const x = tensor(
        Float64Array.from({ length: 3 * 50 * 40 }, (_, i) =>
          i % 97 === 0 ? -0 : Math.sin(i * i) * 10 ** (i % 5),
        ),
        { dtype, shape: [3, 50, 40] },
      )
      for (const accumulate of [dtype, 'float32'] as const) {
        for (const axis of [0, 1, [0, 1], 2]) {
          const whole = sum(x, { axis, accumulate })
          const axes = [axis].flat()
          const order = [0, 1, 2].filter((a) => !axes.includes(a)).concat(axes)
          const lanes = reshape(transpose(x, order), [whole.size, -1])
          const each = Array.from(
            { length: whole.size },
            (_, k) => sum(slice(lanes, [k]), { accumulate }).toBits()[0],
          )
          expect([...whole.toBits()]).toEqual(each)
        }
      }
    },
  )

  it.each(['bfloat16', 'float32', 'float16'] as const)(
    'cumsum of %s along a leading or middle axis equals that of each lane on its own, in place too',
    (dtype) => {
      const make = () =>
        tensor(
          Float64Array.from({ length: 3 * 50 * 40 }, (_, i) =>
            i % 41 === 0 ? -0 : Math.cos(i * i) * 10 ** (i % 5),
          ),
          { dtype, shape: [3, 50, 40] },
        )
      for (const accumulate of [dtype, 'float32'] as const) {
        for (const axis of [0, 1]) {
          const order = axis === 0 ? [1, 2, 0] : [0, 2, 1]
          const lanes = cumsum(transpose(make(), order), { accumulate })
          const back = transpose(lanes, axis === 0 ? [2, 0, 1] : [0, 2, 1])
          const x = make()
          expect(cumsum(x, { axis, accumulate }).toBits()).toEqual(back.toBits())
          expect(cumsum(x, { axis, accumulate, out: x }).toBits()).toEqual(back.toBits())
        }
      }
      const nan = tensor(
        [Infinity, -Infinity].flatMap((v) => new Array(64).fill(v)),
        { dtype, shape: [2, 64] },
      )
      const row = slice(cumsum(nan, { axis: 0, accumulate: 'float32' }), [1])
      expect([...row.toBits()]).toEqual([...tensor(new Array(64).fill(Number.NaN), { dtype }).toBits()])
    },
  )

  it('sum over a leading axis gives +0 for a column of -0 and the canonical NaN', () => {
    const column = (value: number) =>
      tensor(new Float64Array(3 * 64).fill(value), { dtype: 'bfloat16', shape: [3, 64] })
    expect(sum(column(-0), { axis: 0 }).data[5]).toBe(0)
    expect(sum(column(Number.NaN), { axis: 0 }).data[5]).toBe(0x7fc0)
    expect(sum(column(Infinity), { axis: 0, accumulate: 'float32' }).data[5]).toBe(0x7f80)
    expect(sum(zeros([0, 64], { dtype: 'bfloat16' }), { axis: 0 }).size).toBe(64)
  })

  it('cumprod rounds every product', () => {
    expect(cumprod(tensor([1.01171875, 1.01171875], { dtype: 'bfloat16' })).toNested()).toEqual([
      1.015625, 1.03125,
    ])
    expect(cumprod(tensor([65536, 65536, 3], { dtype: 'int32' })).toNested()).toEqual([65536, 0, 0])
    const x = tensor([1024, 1024, 1 / 1024], { dtype: 'float16' })
    expect(cumprod(x).toNested()).toEqual([1024, Infinity, Infinity])
    expect(cumprod(x, { accumulate: 'float32' }).toNested()).toEqual([1024, Infinity, 1024])
  })
})
