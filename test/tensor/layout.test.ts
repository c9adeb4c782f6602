import {
  arange,
  broadcastTo,
  concat,
  type DType,
  dtypeFacts,
  dtypes,
  flip,
  fromBits,
  reshape,
  slice,
  split,
  stack,
  stridesOf,
  type Tensor,
  take,
  tensor,
  transpose,
  tril,
  triu,
  where,
  zeros,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const grid = reshape(arange(0, 24), [2, 3, 4])
const at = (i: number, j: number, k: number): number => i * 12 + j * 4 + k

const payloads = [0x7ff4000000000001n, 0xfff8000000000123n]

/** Whether the engine keeps the bits of a float64 NaN that it reads as a number: Firefox writes one NaN for all. */
function keepsPayloads(): boolean {
  const copy = new Float64Array(2)
  new Float64Array(BigUint64Array.from(payloads).buffer).forEach((value, i) => {
    copy[i] = value
  })
  return new BigUint64Array(copy.buffer).every((bits, i) => bits === payloads[i])
}

describe('slice, transpose and flip', () => {
  // 70 elements of a row are copied in one go, where they lie side by side.
  const x = reshape(arange(0, 2 * 3 * 70), [2, 3, 70])
  const nested = x.toNested() as number[][][]
  const row = Array.from({ length: 70 }, (_, k) => k)

  it('slice has the elements of its ranges, however long a run of them is', () => {
    expect(slice(x, [null, [1, 3], [2, 69]]).toNested()).toEqual(
      nested.map((rows) => rows.slice(1, 3).map((each) => each.slice(2, 69))),
    )
    expect(slice(x, [1, [0, 2]]).toNested()).toEqual(nested[1]!.slice(0, 2))
    expect(slice(x, [null, 1]).toNested()).toEqual(nested.map((rows) => rows[1]))
    expect(slice(x, [null, null, [null, null, -1]]).toNested()).toEqual(
      nested.map((rows) => rows.map((each) => [...each].reverse())),
    )
    expect(slice(x, [null, null, [1, 70, 3]]).toNested()).toEqual(
      nested.map((rows) => rows.map((each) => each.filter((_, k) => k % 3 === 1))),
    )
    expect(
      slice(x, [
        [0, 1],
        [2, 3],
        [5, 6],
      ]).toNested(),
    ).toEqual([[[nested[0]![2]![5]]]])
  })

  it('transpose and flip move whole rows, or every element', () => {
    expect(transpose(x, [1, 0, 2]).toNested()).toEqual([0, 1, 2].map((j) => nested.map((rows) => rows[j])))
    expect(transpose(x).toNested()).toEqual(
      row.map((k) => [0, 1, 2].map((j) => nested.map((rows) => rows[j]![k]))),
    )
    expect(flip(x, { axis: 0 }).toNested()).toEqual([...nested].reverse())
    expect(flip(x, { axis: [1, 2] }).toNested()).toEqual(
      nested.map((rows) => [...rows].reverse().map((each) => [...each].reverse())),
    )
  })
})

describe('reshape', () => {
  it('shares the elements and works out one -1', () => {
    expect(reshape(grid, [4, -1]).shape).toEqual([4, 6])
    expect(reshape(grid, [4, 6]).data).toBe(grid.data)
    expect(reshape(tensor(5), [1, 1]).toNested()).toEqual([[5]])
    expect(reshape(zeros([0, 3]), [3, 0]).shape).toEqual([3, 0])
  })

  it('refuses other sizes and ambiguous lengths', () => {
    expect(() => reshape(grid, [5, -1])).toThrow(new RangeError('reshape: not a shape [5, 4.8]'))
    expect(() => reshape(grid, [23])).toThrow(new RangeError('reshape: shape does not hold 24 elements [23]'))
    expect(() => reshape(zeros([0]), [0, -1])).toThrow(RangeError)
    expect(() => reshape(grid, [-1, -1])).toThrow(RangeError)
  })
})

describe('transpose', () => {
  it('puts axis axes[i] at place i', () => {
    const t = transpose(grid, [2, 0, 1])
    expect(t.shape).toEqual([4, 2, 3])
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < 3; j++) {
        for (let k = 0; k < 4; k++) expect(slice(t, [k, i, j]).item()).toBe(at(i, j, k))
      }
    }
    expect(transpose(grid).shape).toEqual([4, 3, 2])
    expect(transpose(grid, [-1, 0, 1]).toNested()).toEqual(t.toNested())
    expect(transpose(zeros([0, 2])).shape).toEqual([2, 0])
    expect(transpose(tensor(1)).shape).toEqual([])
  })

  it('copies where no element changes its place', () => {
    const x = tensor([[1], [2], [3]], { dtype: 'bfloat16' })
    const row = transpose(x)
    expect(row.shape).toEqual([1, 3])
    expect(row.toNested()).toEqual([[1, 2, 3]])
    expect(row.data).not.toBe(x.data)
    const moved = transpose(reshape(grid, [2, 1, 12]), [1, 0, 2])
    expect(moved.toNumbers()).toEqual(grid.toNumbers())
    expect(transpose(reshape(grid, [2, 1, 12]), [2, 1, 0]).toNumbers()).not.toEqual(grid.toNumbers())
  })

  it('refuses axes that are missing, repeated or outside', () => {
    expect(() => transpose(grid, [0, 1])).toThrow(new RangeError('transpose: needs all 3 axes once [0, 1]'))
    expect(() => transpose(grid, [0, 1, 1])).toThrow(new RangeError('transpose: repeated axis [0,1,1]'))
    expect(() => transpose(grid, [0, 1, 3])).toThrow(
      new RangeError('transpose: axis outside 3 dimensions [3]'),
    )
  })
})

describe('slice', () => {
  it('takes indices, ranges, steps and negative positions as NumPy does', () => {
    expect(slice(grid, [1, [0, 2], -1]).toNested()).toEqual([15, 19])
    expect(slice(grid, [null, 0, [null, null, 2]]).toNested()).toEqual([
      [0, 2],
      [12, 14],
    ])
    expect(slice(arange(0, 5), [[null, null, -2]]).toNested()).toEqual([4, 2, 0])
    expect(slice(arange(0, 5), [[3, 0, -1]]).toNested()).toEqual([3, 2, 1])
    expect(slice(arange(0, 5), [[-2, null]]).toNested()).toEqual([3, 4])
    expect(slice(arange(0, 5), [[-9, 99]]).toNested()).toEqual([0, 1, 2, 3, 4])
    expect(slice(arange(0, 5), [[4, 1]]).shape).toEqual([0])
    expect(slice(arange(0, 5), [[9, null, -1]]).toNested()).toEqual([4, 3, 2, 1, 0])
    expect(slice(zeros([0, 2]), [[0, 5]]).shape).toEqual([0, 2])
  })

  it('refuses an index outside the axis, a zero step and too many ranges', () => {
    expect(() => slice(grid, [2])).toThrow(new RangeError('slice: index outside an axis of 2 [2]'))
    expect(() => slice(grid, [[0, 1, 0]])).toThrow(new RangeError('slice: step is zero [0]'))
    expect(() => slice(grid, [0, 0, 0, 0])).toThrow(
      new RangeError('slice: more ranges than the 3 dimensions [4]'),
    )
    expect(() => slice(grid, [[0.5, 1]])).toThrow(new RangeError('slice: range is not whole [0.5]'))
    expect(() => slice(grid, [[0, undefined as never]])).toThrow(
      new RangeError('slice: range is not whole [undefined]'),
    )
  })

  it.each([[[1]], [[]], ['0:1'], [{ start: 0 }]])('refuses what is no range [%j]', (range) => {
    expect(() => slice(grid, [range as never])).toThrow(TypeError)
  })
})

describe('stridesOf', () => {
  it('(shape) are the elements between neighbours along each axis, the last one side by side', () => {
    expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1])
    expect(stridesOf([2, 0, 4])).toEqual([0, 4, 1])
    expect(stridesOf([])).toEqual([])
  })
})

describe('split, concat, stack', () => {
  it('concat(split(x)) is x along every axis', () => {
    for (const axis of [0, 1, 2, -1]) {
      const parts = split(grid, [1], { axis })
      expect(concat(parts, { axis }).toNested()).toEqual(grid.toNested())
    }
    expect(split(grid, 3, { axis: 1 }).map((part) => part.shape)).toEqual([
      [2, 1, 4],
      [2, 1, 4],
      [2, 1, 4],
    ])
    expect(() => split(grid, 5, { axis: 1 })).toThrow(
      new RangeError('split: axis of 3 does not fall into equal sections [5]'),
    )
  })

  it('concat takes empty parts and refuses shapes that differ elsewhere or no parts', () => {
    expect(concat([zeros([0, 2]), tensor([[1, 2]])]).toNested()).toEqual([[1, 2]])
    expect(() => concat([zeros([1, 2]), zeros([1, 3])])).toThrow(
      new RangeError('concat: shapes differ off axis 0 [1, 2] and [1, 3]'),
    )
    expect(() => concat([] as Tensor[])).toThrow(new RangeError('concat: needs at least one tensor [0]'))
    // @ts-expect-error dtypes differ
    expect(() => concat([tensor([1]), tensor([1], { dtype: 'float16' })])).toThrow(TypeError)
    expect(() => concat([tensor(1)])).toThrow(RangeError)
  })

  it('stack adds the axis where it is told', () => {
    const [a, b] = [tensor([1, 2]), tensor([3, 4])]
    expect(stack([a, b], { axis: -1 }).toNested()).toEqual([
      [1, 3],
      [2, 4],
    ])
    expect(stack([tensor(1), tensor(2)]).toNested()).toEqual([1, 2])
    expect(() => stack([a, tensor([1])])).toThrow(new RangeError('stack: shapes differ [2] and [1]'))
  })
})

describe('take, flip, tril, triu, broadcastTo, where', () => {
  it('take gathers along an axis or from the flat tensor', () => {
    expect(take(grid, [5, -1]).toNested()).toEqual([5, 23])
    expect(take(grid, tensor([[0, 2]], { dtype: 'int32' }), { axis: 1 }).shape).toEqual([2, 1, 2, 4])
    expect(slice(take(grid, [2, 0], { axis: 1 }), [1, 0]).toNested()).toEqual([20, 21, 22, 23])
    expect(take(grid, [], { axis: 0 }).shape).toEqual([0, 3, 4])
    expect(() => take(grid, [3], { axis: 1 })).toThrow(new RangeError('take: index outside an axis of 3 [3]'))
    expect(() => take(grid, tensor([1]) as never)).toThrow(
      new TypeError('take: indices are not int32 or uint32 [float32]'),
    )
  })

  it('flip twice is the identity along any axes', () => {
    expect(flip(arange(0, 3)).toNested()).toEqual([2, 1, 0])
    expect(slice(flip(grid, { axis: [0, 2] }), [0, 1, 0]).item()).toBe(at(1, 1, 3))
    expect(flip(flip(grid, { axis: 1 }), { axis: 1 }).toNested()).toEqual(grid.toNested())
    expect(flip(zeros([0])).shape).toEqual([0])
  })

  it('tril and triu keep their side of the k-th diagonal in every matrix', () => {
    const x = reshape(arange(1, 10), [3, 3])
    expect(tril(x).toNested()).toEqual([
      [1, 0, 0],
      [4, 5, 0],
      [7, 8, 9],
    ])
    expect(tril(x, { k: -1 }).toNested()).toEqual([
      [0, 0, 0],
      [4, 0, 0],
      [7, 8, 0],
    ])
    expect(triu(x, { k: 1 }).toNested()).toEqual([
      [0, 2, 3],
      [0, 0, 6],
      [0, 0, 0],
    ])
    expect(tril(stack([x, x])).toNested()).toEqual([tril(x).toNested(), tril(x).toNested()])
    // Diagonals beyond the corners: nothing is kept, or everything.
    for (const none of [tril(x, { k: -9 }), triu(x, { k: 9 })]) expect(Math.max(...none.toNumbers())).toBe(0)
    for (const all of [tril(x, { k: 9 }), triu(x, { k: -9 })]) expect(all.toNested()).toEqual(x.toNested())
    expect(() => tril(tensor([1]))).toThrow(new RangeError('tril: needs two dimensions or more [1]'))
  })

  it('broadcastTo reads every element from where its axes of length 1 say, bits unchanged', () => {
    const targets = [
      [2, 3, 4],
      [5, 2, 3, 4],
      [2, 0, 4],
    ]
    for (const target of targets) {
      for (const shape of [[], [1], [4], [3, 1], [1, 4], [2, 1, 1], [2, 1, 4], [2, 3, 1], [2, 3, 4]]) {
        if (target.includes(0) && shape.includes(3)) continue
        const size = shape.reduce((n, length) => n * length, 1)
        const x = fromBits(
          Uint32Array.from({ length: size }, (_, i) => 0x7f800001 + i),
          { shape, dtype: 'float32' },
        )
        const bits = broadcastTo(x, target).toBits() as Uint32Array
        // The place in x of each place of the target, axis by axis from the last.
        const expected = Array.from(bits, (_, place) => {
          let [rest, from, stride] = [place, 0, 1]
          for (let axis = 1; axis <= target.length; axis++) {
            const length = target.at(-axis)!
            const own = shape.at(-axis) ?? 1
            if (own !== 1) from += (rest % length) * stride
            stride *= own
            rest = Math.floor(rest / length)
          }
          return 0x7f800001 + from
        })
        expect([shape, Array.from(bits)]).toEqual([shape, expected])
      }
    }
  })

  it('broadcastTo repeats axes of length 1 and refuses to shrink', () => {
    expect(broadcastTo(tensor([[1], [2]]), [2, 2, 3]).shape).toEqual([2, 2, 3])
    expect(broadcastTo(tensor([1]), [0]).shape).toEqual([0])
    expect(() => broadcastTo(tensor([1, 2]), [1])).toThrow(RangeError)
  })

  it('where broadcasts all three and takes plain numbers', () => {
    const mask = tensor([[true], [false]], { dtype: 'bool' })
    expect(where(mask, tensor([1, 2]), -1).toNested()).toEqual([
      [1, 2],
      [-1, -1],
    ])
    expect(() => where(tensor([1]), 1, tensor([2]))).toThrow(
      new TypeError('where: the condition is not bool, compare first [float32]'),
    )
    expect(() => where(mask, 1, 2)).toThrow(TypeError)
  })

  it.each(dtypes)('moving elements of %s keeps every bit, NaN payloads included', (dtype: DType) => {
    const codes =
      dtypeFacts(dtype).bits === 64
        ? BigUint64Array.of(...(keepsPayloads() ? payloads : [0x7ff8000000000000n, 2n]), 1n << 63n, 1n)
        : dtype === 'float32'
          ? Uint32Array.of(0x7f800001, 0xffc12345, 0x80000000, 1)
          : dtype === 'bfloat16' || dtype === 'float16'
            ? Uint16Array.of(0x7fff, 0xff81, 0x8000, 1)
            : Uint8Array.of(1, 0, 1, 1)
    const x = fromBits(codes, { dtype, shape: [2, 2] })
    const sorted = (t: { toBits(): ArrayLike<number | bigint> }) => Array.from(t.toBits()).map(String).sort()
    const mask = tensor([true], { dtype: 'bool' })
    for (const moved of [
      transpose(x),
      flip(x),
      slice(x, [[null, null, -1]]),
      take(x, [3, 2, 1, 0]),
      concat(split(x, 2)),
      where(mask, x, x),
    ]) {
      expect(sorted(moved)).toEqual(sorted(x))
    }
  })
})
